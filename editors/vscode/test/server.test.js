// The real server, spoken to by the editor's own library. SABIR names the program; without one the test is left out.
const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { test } = require("node:test");
const { pathToFileURL } = require("node:url");
const protocol = require("vscode-languageserver-protocol/node");

const ROOT = join(__dirname, "..", "..", "..");
const PROGRAM = process.env.SABIR ?? join(ROOT, ".venv", "bin", "sabir");
const [, ...WORDS] = JSON.parse(readFileSync(join(__dirname, "..", "package.json"), "utf8")).contributes.configuration.properties["sabir.command"].default;

test("findings and symbols of a package come", { skip: existsSync(PROGRAM) ? false : `no ${PROGRAM}` }, async () => {
  const server = spawn(PROGRAM, WORDS);
  const connection = protocol.createProtocolConnection(new protocol.StreamMessageReader(server.stdout), new protocol.StreamMessageWriter(server.stdin));
  connection.onRequest("client/registerCapability", () => null);
  connection.listen();
  try {
    const folder = pathToFileURL(join(ROOT, "examples", "murano", "broken")).href;
    const initialized = await connection.sendRequest("initialize", { processId: process.pid, rootUri: folder, capabilities: {}, workspaceFolders: [{ uri: folder, name: "broken" }] });
    assert.ok(initialized.capabilities.hoverProvider);
    await connection.sendNotification("initialized", {});
    const file = join(ROOT, "examples", "murano", "broken", "Classes", "Greeter.yaml");
    const uri = pathToFileURL(file).href;
    const findings = new Promise((done) => connection.onNotification("textDocument/publishDiagnostics", (params) => { if (params.uri === uri && params.diagnostics.length) done(params.diagnostics); }));
    await connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId: "yaml", version: 1, text: readFileSync(file, "utf8") } });
    assert.ok((await findings).some((finding) => finding.code === "MPL:E110"));
    const symbols = await connection.sendRequest("textDocument/documentSymbol", { textDocument: { uri } });
    assert.equal(symbols[0].name, "Greeter");
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
  } finally {
    connection.dispose();
    server.kill();
  }
});
