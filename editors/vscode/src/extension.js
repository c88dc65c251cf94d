// Starts `sabir lsp` and hands it to the editor. Everything else is the server's.
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function start() {
  const [command, ...args] = vscode.workspace.getConfiguration("sabir").get("command");
  const server = { command, args, transport: TransportKind.stdio };
  const documents = [{ scheme: "file", language: "yaml" }, { scheme: "file", language: "inmanta" }, { scheme: "file", pattern: "**/*.j2" }];
  const files = vscode.workspace.createFileSystemWatcher("**/*.{yaml,yml,cf,j2,py}");
  client = new LanguageClient("sabir", "sabir", server, { documentSelector: documents, synchronize: { fileEvents: files } });
  return client.start().catch((error) => {
    vscode.window.showErrorMessage(
      `sabir does not start (${command}: ${error.message}). Install it with pip install 'sabir[lsp]', or say in the setting sabir.command where it is.`,
    );
  });
}

async function restart() {
  await client?.stop().catch(() => undefined);
  await start();
}

exports.activate = async (context) => {
  context.subscriptions.push(vscode.commands.registerCommand("sabir.restart", restart));
  await start();
};
exports.deactivate = () => client?.stop();
