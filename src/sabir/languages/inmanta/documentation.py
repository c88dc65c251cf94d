"""What each code of the Inmanta language means, with an example that shows it and one that does not."""

from __future__ import annotations

from typing import Final, Literal

from sabir.diagnostics.rules import Rule
from sabir.languages.inmanta import codes

__all__ = ["CODES"]

_HOST = "entity Host:\n    string name\nend\nimplement Host using std::none\n"
_FILES = (
    "entity Host:\nend\nentity File:\nend\nimplement Host using std::none\nimplement File using std::none\n"
    "Host.files [0:] -- File\n"
)
_MODULE = {"libs/net/module.yml": "name: net\nversion: 1.0\nlicense: x\n", "libs/net/model/_init.cf": ""}
_PLUGIN = 'from inmanta.plugins import plugin\n\n\n@plugin\ndef half(number: "int") -> "int":\n'


def _code(
    code: str,
    title: str,
    why: str,
    bad: str | dict[str, str],
    good: str | dict[str, str],
    *,
    when: Literal["check", "evaluate", "render"] = "check",
    fixable: bool = False,
) -> Rule:
    return Rule(
        code=code,
        title=title,
        why=why,
        bad={"main.cf": bad} if isinstance(bad, str) else bad,
        good={"main.cf": good} if isinstance(good, str) else good,
        fixable=fixable,
        language="inmanta",
        when=when,
    )


CODES: Final = (
    _code(
        codes.SYNTAX,
        "the text cannot be read",
        "The file breaks the grammar of the language; nothing in it can be evaluated. All independent errors of all "
        "files are reported together.",
        "a = = 1\n",
        "a = 1\n",
    ),
    _code(
        codes.UNKNOWN_MODULE,
        "a module cannot be loaded",
        "An imported module has to be on the module path (`modulepath` in project.yml), with module.yml and "
        "model/_init.cf. Check the name, or add the missing file.",
        "import nett\n",
        {"main.cf": "import net\n", **_MODULE},
    ),
    _code(
        codes.UNKNOWN_NAME,
        "a name means nothing",
        "A variable, type, entity, attribute, implementation or function that does not exist, or whose namespace is not "
        "imported in this file. Types and functions are looked up before anything runs; variables when they are read.",
        _HOST + 'h = Host(nmae="a")\n',
        _HOST + 'h = Host(name="a")\n',
    ),
    _code(
        codes.DUPLICATE,
        "something is defined twice",
        "A name has one meaning in its scope: types and variables share their names, and an inherited attribute or "
        "relation cannot be overridden. A dict has each key once.",
        "typedef port as int matching self > 0\nport = 1\n",
        "typedef port as int matching self > 0\nssh = 1\n",
    ),
    _code(
        codes.TYPE_CYCLE,
        "a type is made from itself",
        "An entity cannot be its own ancestor, a typedef not its own base.",
        "entity A extends B:\nend\nentity B extends A:\nend\n",
        "entity A:\nend\nentity B extends A:\nend\n",
    ),
    _code(
        codes.BAD_IMPLEMENT,
        "an implement statement that cannot be",
        "An implementation fits the entity it was written for and its children. `parents` takes no condition: what it "
        "brings keeps its own.",
        "entity A:\nend\nentity B:\nend\nimplementation a for A:\nend\nimplement B using a\n",
        "entity A:\nend\nimplementation a for A:\nend\nimplement A using a\n",
    ),
    _code(
        codes.BAD_INDEX,
        "an index that cannot identify",
        "An index holds attributes and relations [1]; a relation that may be empty or hold several does not name one instance.",
        "entity A:\nend\nA.other [0:1] -- A\nindex A(other)\n",
        "entity A:\nend\nA.other [1] -- A\nindex A(other)\n",
    ),
    _code(
        codes.TYPE,
        "a value does not fit its type",
        "Values are never converted silently: 1 is no string, null only fits a type with `?`, a condition is true or "
        "false, an operator takes what it says.",
        _HOST + "Host(name=1)\n",
        _HOST + 'Host(name="1")\n',
        when="evaluate",
    ),
    _code(
        codes.DOUBLE,
        "a second, different value",
        "A variable or attribute gets one value. The same value again is no error. A default is a value too: only the "
        "constructor can replace it. Both places are named.",
        "a = 1\na = 2\n",
        "a = 1\na = 1\n",
        when="evaluate",
    ),
    _code(
        codes.UNSET,
        "a value never comes",
        "Every attribute needs a value unless its type is nullable, every relation [1] an instance. The finding stands at "
        "the constructor of the incomplete instance.",
        _HOST + "Host()\n",
        _HOST + 'Host(name="a")\n',
        when="evaluate",
    ),
    _code(
        codes.MULTIPLICITY,
        "too few or too many in a relation",
        "The multiplicity of a relation says how many instances it holds.",
        _FILES.replace("[0:]", "[1:]") + "Host()\n",
        _FILES.replace("[0:]", "[1:]") + "Host(files=File())\n",
        when="evaluate",
    ),
    _code(
        codes.FROZEN,
        "a relation is extended after its complete value was used",
        "Something needed the complete relation (a plug-in, a comparison, a template), and what it computed leads to one "
        "more value. No order of evaluation can make that true.",
        _FILES + "h = Host(files=File())\nn = std::count(h.files)\nif n == 1:\n    h.files += File()\nend\n",
        _FILES + "h = Host(files=File())\nn = std::count(h.files)\n",
        when="evaluate",
    ),
    _code(
        codes.CYCLE,
        "statements wait for each other",
        "Each of them needs a value that only another of them can give. All of them are named.",
        "a = b\nb = a\n",
        "a = b\nb = 1\n",
        when="evaluate",
    ),
    _code(
        codes.NO_IMPLEMENTATION,
        "no refinement for an instance",
        "Every instance is refined by at least one implementation whose condition holds. `std::none` says that there is "
        "nothing to refine. Implement statements are not inherited; `using parents` takes them over.",
        "entity A:\nend\nA()\n",
        "entity A:\nend\nimplement A using std::none\nA()\n",
        when="evaluate",
    ),
    _code(
        codes.INDEX_MISSING,
        "a constructor lacks an identifying property",
        "All properties of an index are set in the constructor (or have a default), because they decide whether there is "
        "such an instance already.",
        _HOST + 'index Host(name)\nh = Host()\nh.name = "a"\n',
        _HOST + 'index Host(name)\nh = Host(name="a")\n',
        when="evaluate",
    ),
    _code(
        codes.INDEX_CONFLICT,
        "an index names another instance",
        "The identifying values already belong to an instance of another entity, or two indexes name two instances.",
        _HOST
        + 'index Host(name)\nentity Vm extends Host:\nend\nimplement Vm using std::none\nHost(name="a")\nVm(name="a")\n',
        _HOST
        + 'index Host(name)\nentity Vm extends Host:\nend\nimplement Vm using std::none\nHost(name="a")\nVm(name="b")\n',
        when="evaluate",
    ),
    _code(
        codes.INDEX_LOOKUP,
        "a look-up without a match",
        "No index is defined on these properties, or no instance with these values is ever made.",
        _HOST + 'index Host(name)\nh = Host[name="a"]\n',
        _HOST + 'index Host(name)\nh = Host[name="a"]\nHost(name="a")\n',
        when="evaluate",
    ),
    _code(
        codes.CALL,
        "wrong arguments",
        "A constructor takes its values by name, each once; a function takes what its parameters say.",
        _HOST + 'Host("a")\n',
        _HOST + 'Host(name="a")\n',
    ),
    _code(
        codes.PLUGIN,
        "a plug-in or template failed",
        "A Python function of a module, or a template, raised an error. The finding stands at the call; the line of the "
        "plug-in stands beside it.",
        'a = std::replace("a", old="b", new="c")\nb = std::json_loads("{")\n',
        'b = std::json_loads("{}")\n',
        when="evaluate",
    ),
    _code(
        codes.KEY,
        "a dict has no such key",
        "All members of a dict are set where it is written; a key is tested with `in`.",
        'd = {"a": 1}\nx = d["b"]\n',
        'd = {"a": 1}\nx = d["a"]\n',
        when="evaluate",
    ),
    _code(
        codes.REFUSED,
        "a plug-in was not to be run",
        "The model calls Python of one of its modules, and running it was not allowed. Allow plug-ins only for models "
        "whose authors you trust.",
        {
            "main.cf": "import net\nx = net::half(4)\n",
            **_MODULE,
            "libs/net/plugins/__init__.py": _PLUGIN + "    return number // 2\n",
        },
        {
            "main.cf": "import net\nx = 2\n",
            **_MODULE,
            "libs/net/plugins/__init__.py": _PLUGIN + "    return number // 2\n",
        },
        when="evaluate",
    ),
    _code(
        codes.LIMIT,
        "the model asks for too much",
        "A bound that keeps an evaluation finite was reached: refinements that construct themselves without end, numbers "
        "or texts of absurd size.",
        "entity A:\nend\nimplementation more for A:\n    A()\nend\nimplement A using more\nA()\n",
        "entity A:\n    int n\nend\nimplementation more for A:\n    if n > 0:\n        A(n=n - 1)\n    end\nend\n"
        "implement A using more\nA(n=3)\n",
        when="evaluate",
    ),
    _code(
        codes.SLASH_COMMENT,
        "a comment that begins with //",
        "Newer releases of the language refuse it; `#` begins a comment everywhere.",
        "// a comment\na = 1\n",
        "# a comment\na = 1\n",
        fixable=True,
    ),
    _code(
        codes.OLD_RELATION,
        "a relation in the old form",
        "Newer releases of the language refuse it. The fix writes the same relation in today's form.",
        "entity A:\nend\nentity B:\nend\nA a [1] -- [0:] B bs\n",
        "entity A:\nend\nentity B:\nend\nA.bs [0:] -- B.a [1]\n",
        fixable=True,
    ),
    _code(
        codes.OUTSIDE_PATH,
        "the module path leads out of the project",
        "Only what belongs to the project is read because its files say so. Name other directories on the command line.",
        {"main.cf": "a = 1\n", "project.yml": "name: p\nmodulepath: [../libs]\n"},
        {"main.cf": "a = 1\n", "project.yml": "name: p\nmodulepath: [libs]\n"},
    ),
    _code(
        codes.UNKNOWN_IN_BRANCH,
        "an unknown variable in a block that may not run",
        "It is an error as soon as the block runs.",
        "a = 1\nif a > 1:\n    b = nosuch\nend\n",
        "a = 1\nif a > 1:\n    b = a\nend\n",
    ),
    _code(
        codes.RESOURCE,
        "a resource cannot be exported",
        "The class that is registered for an entity failed to compute a field or the id of a resource.",
        'host = std::Host(name="a", os=std::linux)\nstd::Package(host=host, name="p]", state="installed")\n',
        'host = std::Host(name="a", os=std::linux)\nstd::Package(host=host, name="p", state="installed")\n',
        when="render",
    ),
    _code(
        codes.HIDES,
        "an attribute hides a relation of std::Entity",
        "Every entity has the relations `requires` and `provides`. An attribute of such a name takes their place, and "
        "resources of the entity cannot be ordered by it.",
        "entity Unit:\n    string[] requires = []\nend\n",
        "entity Unit:\n    string[] required_units = []\nend\n",
    ),
)
