"""Models in which several kinds of steps meet, for the law of provenance."""

from __future__ import annotations

from tests.languages.inmanta.why.models import PLAIN

__all__ = ["MODELS"]

MODELS: dict[str, str] = {
    "expressions in expressions": PLAIN
    + """limit = 1
base = {"a": {"x": [1, 2]}, "b": {"x": [3]}}
which = "a"
v = [x + y for x in base[which]["x"] for y in [10, 20] if x > limit]
w = std::count(v) > 1 ? "many" : "few"
u = {"k": w}["k"]
t = not (limit == 1)
s = limit in [1, 2]
r = base["a"] is defined
q = -limit * 2 ** 2
p = string(limit)
""",
    "is defined": PLAIN
    + """a = Host(name="a")
b = Host(name="b", backup=a)
v = b.backup is defined ? "yes" : "no"
w = a.backup is defined ? "yes" : "no"
n = a.note is defined
for h in [a, b]:
    if h.backs is defined:
        h.note = "has {{ std::count(h.backs) }}"
    else:
        h.note = "none"
    end
end
""",
    "dicts unpacked": PLAIN
    + """key = "a"
d = {"name": key}
Host(name="a", size=4)
v = Host[**d].size
args = {"old": "x", "new": "y"}
t = "axb"
w = std::replace(t, **args)
kw = {"size": 9, "note": "z"}
h = Host(name="k", **kw)
s = h.size + 1
""",
    "refinements that make and decide": """entity Host:
    string name
    int size = 1
    string? note
    string text = ""
end
index Host(name)
entity File:
    string path
    string? content
end
index File(host, path)
File.host [1] -- Host.files [0:]
Host.backup [0:1] -- Host.backs [0:]
implement File using std::none
factor = 2
paths = ["x", "y"]
implementation files for Host:
    scaled = self.size * factor
    for p in paths:
        f = File(host=self, path="{{ name }}/{{ p }}")
        if scaled > 3:
            f.content = "big {{ scaled }}"
        end
    end
end
implementation noted for Host:
    self.note = "{{ std::count(self.files) }}"
    self.backup = Host[name=text]
end
implement Host using files, noted when size > 1
implement Host using std::none when not (size > 1)
z = Host(name="z", size=1)
a = Host(name="a", size=2, text="z")
v = [f.path for f in a.files]
w = a.backup.name
""",
    "values that come late": PLAIN
    + """b = Host(name="b", text=a.note)
a = Host(name="a", text=c)
a.note = "n {{ c }}"
c = "x"
File(host=Host[name="a"], path=p2, content=b.text)
p2 = p1
p1 = "p"
v = Host[name="a"].files
w = [f.content for f in v]
""",
    "inherited defaults and implementations": """entity Base:
    string name
    int level = 1
    string kind = "base"
end
entity Mid extends Base:
    int level = 2
end
entity Top extends Mid:
    string kind = "top"
end
index Base(name)
implementation b for Base:
    self.parts = Part(owner=self, text="{{ kind }}{{ level }}")
end
entity Part:
    string text
end
Base.parts [0:] -- Part.owner [1]
index Part(owner, text)
implement Part using std::none
implement Base using b
implement Mid using parents
implement Top using parents
t = Top(name="t")
m = Mid(name="m", kind="own")
v = [p.text for p in t.parts]
w = [p.text for p in m.parts]
""",
}
