// The extension hands the editor a server. `vscode` exists inside of the editor only, so it and its client are stood in for here;
// the server that they start is the real one in server.test.js.
const assert = require("node:assert/strict");
const Module = require("node:module");
const { test } = require("node:test");

function extension({ command = ["sabir", "lsp"], fails = false } = {}) {
  const seen = { errors: [], clients: [], commands: {}, watched: [] };
  class LanguageClient {
    constructor(id, name, server, options) { Object.assign(this, { id, server, options, state: "made" }); seen.clients.push(this); }
    async start() { if (fails) throw new Error("ENOENT"); this.state = "started"; }
    async stop() { this.state = "stopped"; }
  }
  const stands = {
    vscode: {
      workspace: { getConfiguration: () => ({ get: () => command }), createFileSystemWatcher: (pattern) => seen.watched.push(pattern) },
      window: { showErrorMessage: (text) => seen.errors.push(text) },
      commands: { registerCommand: (name, run) => { seen.commands[name] = run; return {}; } },
    },
    "vscode-languageclient/node": { LanguageClient, TransportKind: { stdio: 0 } },
  };
  const load = Module._load;
  Module._load = (name, ...rest) => stands[name] ?? load(name, ...rest);
  const path = require.resolve("../src/extension.js");
  delete require.cache[path];
  try {
    return { seen, ...require(path) };
  } finally {
    Module._load = load;
  }
}

test("it starts the command of the setting, for the files of the languages", async () => {
  const { seen, activate, deactivate } = extension({ command: ["/opt/sabir/bin/sabir", "lsp"] });
  const context = { subscriptions: [] };
  await activate(context);
  const [client] = seen.clients;
  assert.deepEqual([client.server.command, client.server.args, client.state], ["/opt/sabir/bin/sabir", ["lsp"], "started"]);
  assert.deepEqual(client.options.documentSelector.map((each) => each.language ?? each.pattern), ["yaml", "inmanta", "**/*.j2"]);
  assert.equal(context.subscriptions.length, 1);
  await deactivate();
  assert.equal(client.state, "stopped");
});

test("a server that does not start is told with what to do", async () => {
  const { seen, activate } = extension({ fails: true });
  await activate({ subscriptions: [] });
  assert.match(seen.errors[0], /sabir: ENOENT.*pip install 'sabir\[lsp\]'.*sabir\.command/s);
});

test("it is started again on request", async () => {
  const { seen, activate } = extension();
  await activate({ subscriptions: [] });
  await seen.commands["sabir.restart"]();
  assert.deepEqual(seen.clients.map((client) => client.state), ["stopped", "started"]);
});
