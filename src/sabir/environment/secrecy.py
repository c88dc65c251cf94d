"""What is sensitive stays so in the part it is given to: in values, in what is said about them, in what is written.

Languages other than TOSCA know no sensitive values. What a part is given is revealed to it, and the marks are put back on
everything that comes out: on the values that rest on it, by their origins, and on those in which its text stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.environment.given import Resolved
from sabir.environment.merge import MovedPart
from sabir.environment.resolve import COMPOSED_SECRET
from sabir.graph.graph import Graph, Instance
from sabir.graph.origin import Origin
from sabir.graph.record import Record
from sabir.graph.secrets import Secrets, holds_sensitive, secret_texts
from sabir.graph.values import Ref, Sensitive, Unknown, Value
from sabir.resources.resource import Wanted
from sabir.resources.secrets import COMPOSED_HINT, ComposedSecrets, composed_message, referred_names
from sabir.text import Place

__all__ = ["Given"]


class Given(Struct, frozen=True, eq=False):
    """What is sensitive among the values that a part is given."""

    secrets: Secrets
    origins: tuple[Origin, ...]
    composed: ComposedSecrets
    """Finds references to secrets that the language of the part made part of a string."""
    place: Place
    """The part in `sabir.yaml`."""

    @staticmethod
    def of(values: Iterable[Resolved], place: Place) -> Given | None:
        """None when nothing is, which is nearly always so."""
        sensitive = [value for value in values if holds_sensitive(value.value)]
        if not sensitive:
            return None
        secrets = Secrets(text for value in sensitive for text in secret_texts(value.value) or ())
        names = set[str]().union(*(referred_names(value.value) for value in sensitive))
        origins = tuple(value.origin for value in sensitive)
        return Given(secrets, origins, ComposedSecrets(names), place)

    def marked(self, moved: MovedPart) -> MovedPart:
        graph = Graph(moved.instances, outputs=moved.outputs, output_origins=moved.output_origins)
        resting = graph.dependence.resting_on(self.origins)
        instances = tuple(self._instance(instance, resting) for instance in moved.instances)
        outputs = {
            name: self._value(value, rests=(None, name) in resting) for name, value in moved.outputs.items()
        }
        return replace(
            moved, instances=instances, outputs=outputs, wanted=lambda: self._wanted(moved.wanted())
        )

    def composed_in(self, moved: MovedPart) -> Iterator[Finding]:
        """A finding for each value of the part in which a secret became part of a string."""
        values = [
            (value, instance.origins.get(name, instance.origin))
            for instance in moved.instances
            for name, value in instance.attributes.items()
        ]
        values += [(value, moved.output_origins.get(name)) for name, value in moved.outputs.items()]
        return self._composed(values)

    def _composed(self, values: Iterable[tuple[Value, Origin | None]]) -> Iterator[Finding]:
        found = {
            (origin.place if origin is not None and isinstance(origin.place, Place) else self.place, name)
            for value, origin in values
            if (name := self.composed.find(value)) is not None
        }
        for place, name in sorted(found, key=lambda each: (each[0].source.name, each[0].span.start)):
            yield COMPOSED_SECRET.at(place, composed_message(name), hint=COMPOSED_HINT)

    def _wanted(self, wanted: Wanted) -> Wanted:
        """Resources hold values by their text; what rests on a secret otherwise is marked in the graph they come from."""
        values = (
            (value, resource.origins.get(name, resource.origin))
            for resource in wanted.resources
            for name, value in resource.desired.items()
        )
        return replace(
            wanted,
            findings=(*wanted.findings, *self._composed(values)),
            resources=tuple(
                replace(
                    resource,
                    desired={name: self.secrets.marked(value) for name, value in resource.desired.items()},
                )
                for resource in wanted.resources
            ),
        )

    def _instance(
        self, instance: Instance, resting: Mapping[tuple[str | None, str | None], object]
    ) -> Instance:
        row = tuple(
            self._value(value, rests=(instance.id, name) in resting)
            for name, value in zip(instance.attributes.layout.keys, instance.attributes.row, strict=True)
        )
        if all(new is old for new, old in zip(row, instance.attributes.row, strict=True)):
            return instance
        return replace(instance, attributes=Record(instance.attributes.layout, row))

    def _value(self, value: Value, *, rests: bool) -> Value:
        marked = self.secrets.marked(value)
        if not rests or marked is not value or value is None or isinstance(value, Sensitive | Unknown | Ref):
            return marked
        # It was computed from something sensitive, and is no longer to be recognised.
        return value if holds_sensitive(value) else Sensitive(value)

    def finding(self, finding: Finding) -> Finding:
        """What is said, without the texts."""
        scrubbed = self.secrets.scrubbed
        return replace(
            finding,
            message=scrubbed(finding.message),
            hint=None if finding.hint is None else scrubbed(finding.hint),
            related=tuple(replace(note, message=scrubbed(note.message)) for note in finding.related),
        )
