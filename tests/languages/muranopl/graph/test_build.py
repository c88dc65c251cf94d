"""Objects as instances: attributes, relations, owners, origins."""

from __future__ import annotations

from sabir.graph import Graph
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.values import Ref
from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl import LANGUAGE
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import files

CLASSES = """\
Name: Root
Properties:
  title:
    Contract: $.string()
    Default: none
  size:
    Contract: $.int()
  first:
    Contract: $.class(Root)
  parts:
    Contract: [$.class(Root)]
  byName:
    Contract:
      $.string().notNull(): $.class(Root)
  hidden:
    Contract: $
    Usage: Runtime
"""
MODEL = """\
'?': {id: root, type: demo.Root, name: The root}
size: '5'
first: p1
parts:
  - '?': {id: p1, type: demo.Root}
    size: 1
byName: {a: p1}
"""


def graph() -> Graph:
    evaluation = LANGUAGE.evaluate(MemoryPackage(files(CLASSES, MODEL)), EvaluationRequest())
    assert evaluation.findings == ()
    return evaluation.graph


def test_instances() -> None:
    root, part = graph()
    assert (root.id, root.type, root.name, root.owner) == ("root", "demo.Root", "The root", None)
    assert (part.id, part.name, part.owner) == ("p1", "p1", "root")
    assert dict(root.attributes) == {"title": "none", "size": 5, "byName": {"a": Ref("p1")}}
    assert dict(root.relations) == {"first": ("p1",), "parts": ("p1",), "byName": ("p1",)}


def where(origin: Origin | None) -> tuple[str, How]:
    assert origin is not None
    return str(origin.location), origin.how


def test_origins() -> None:
    root, part = graph()
    assert where(part.origin) == ("model.yaml:5:5", How.INPUT)
    assert where(root.origins["title"]) == ("Classes/Root.yaml:8:14", How.DEFAULT)
    assert where(part.origins["size"]) == ("model.yaml:6:11", How.INPUT)
    size = root.origins["size"]
    assert where(size) == ("Classes/Root.yaml:10:15", How.CONVERSION)
    (given,) = size.sources
    assert isinstance(given, Origin)
    assert where(given) == ("model.yaml:2:7", How.INPUT)


def test_the_object_model_is_rendered() -> None:
    from sabir.languages.language import RenderRequest

    render = LANGUAGE.renderers()["objectmodel"]
    rendering = render(MemoryPackage(files(CLASSES, MODEL)), EvaluationRequest(), RenderRequest())
    assert '"size": 5' in rendering.files["model.json"]


def test_computed_defaults_and_assignments_know_what_they_rest_on() -> None:
    classes = """\
Name: Root
Properties:
  a:
    Contract: $.int()
    Default: $.b + 1
  b:
    Contract: $.int()
    Default: 1
  c:
    Contract: $.int()
    Usage: Out
Methods:
  .init:
    Body:
      - $.c: 7
"""
    request = EvaluationRequest(full_provenance=True)
    (root,) = LANGUAGE.evaluate(MemoryPackage(files(classes)), request).graph
    assert where(root.origins["c"]) == ("Classes/Root.yaml:18:9", How.ASSIGNMENT)
    assert where(root.origins["a"]) == ("Classes/Root.yaml:8:14", How.EXPRESSION)
    read, object_ = root.origins["a"].sources
    assert read == AttributeRead("root", "b")
    assert isinstance(object_, Origin)
    assert where(object_) == ("model.yaml:1:1", How.INPUT)
