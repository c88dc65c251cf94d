// The grammars as the editor applies them: with its own engine, and those for YAML injected into a real grammar of YAML.
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { test } = require("node:test");
const oniguruma = require("vscode-oniguruma");
const { INITIAL, parseRawGrammar, Registry } = require("vscode-textmate");

const ROOT = join(__dirname, "..");
const { grammars } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).contributes;
const YAML = join(ROOT, "node_modules", "tm-grammars", "grammars", "yaml.json");

async function registry() {
  await oniguruma.loadWASM(readFileSync(join(ROOT, "node_modules", "vscode-oniguruma", "release", "onig.wasm")).buffer);
  return new Registry({
    onigLib: Promise.resolve({ createOnigScanner: (sources) => new oniguruma.OnigScanner(sources), createOnigString: (text) => new oniguruma.OnigString(text) }),
    loadGrammar: async (scope) => {
      const ours = grammars.find((grammar) => grammar.scopeName === scope);
      const path = ours ? join(ROOT, ours.path) : scope.startsWith("source.yaml") ? YAML : null;
      return path && parseRawGrammar(readFileSync(path, "utf8"), path);
    },
    getInjections: (scope) => grammars.filter((grammar) => grammar.injectTo?.includes(scope)).map((grammar) => grammar.scopeName),
  });
}

const loaded = registry();

// The scopes of the first place where a text stands in a line.
async function scopes(grammar, line, text, before = []) {
  const tokenizer = await (await loaded).loadGrammar(grammar);
  let stack = INITIAL;
  for (const earlier of before) stack = tokenizer.tokenizeLine(earlier, stack).ruleStack;
  const at = line.indexOf(text);
  const token = tokenizer.tokenizeLine(line, stack).tokens.find(({ startIndex, endIndex }) => startIndex <= at && at < endIndex);
  return token.scopes;
}

const CASES = [
  ["source.inmanta", "entity Host extends std::Entity:", "entity", "keyword.declaration.inmanta"],
  ["source.inmanta", "entity Host extends std::Entity:", "Host", "entity.name.type.inmanta"],
  ["source.inmanta", "implementation address for Host:", "address", "entity.name.function.inmanta"],
  ["source.inmanta", 'x = "10.20.{{ self.number }}"  # where', "{{", "variable.other.inmanta"],
  ["source.inmanta", "x = 1 # where", "# where", "comment.line.inmanta"],
  ["source.inmanta", "    string name = null", "null", "constant.language.inmanta"],
  ["source.inmanta", "Host.services [0:] -- Service.host [1]", "--", "keyword.operator.inmanta"],
  ["source.yaml", "Properties:", "Properties", "keyword.declaration.muranopl"],
  ["source.yaml", "      - If: $.port > 1", "If", "keyword.control.muranopl"],
  ["source.yaml", "      - Return: $this.name", "$this", "variable.other.muranopl"],
  ["source.yaml", "host: {{ database.host }}", "database", "variable.other.jinja"],
  ["source.yaml", "{% if debug %}", "if", "keyword.control.jinja"],
  ["source.yaml", "ip: {get_input: address}", "get_input", "support.function.tosca"],
  ["source.yaml", "topology_template:", "topology_template", "keyword.declaration.tosca"],
];

for (const [grammar, line, text, scope] of CASES) {
  test(`${grammar}: ${text} in ${line}`, async () => {
    const found = await scopes(grammar, line, text);
    assert.ok(found.includes(scope), `${scope} is not among ${found.join(" ")}`);
  });
}

test("a docstring of several lines ends where it ends", async () => {
  const before = ["entity Host:", '    """ a host', '    that listens """'];
  assert.ok(!(await scopes("source.inmanta", "    string name", "string", before)).some((scope) => scope.startsWith("string.")));
});

test("words in comments of YAML are no keywords", async () => {
  for (const scope of await scopes("source.yaml", "# If: this is said", "If")) assert.ok(!scope.startsWith("keyword"), scope);
});
