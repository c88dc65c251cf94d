-- Started in a headless Neovim on a file: prints what the server says of it. SABIR is the command that starts the server.
local command = { os.getenv("SABIR_PYTHON"), "-m", "sabir", "lsp" }
local setup = { name = "sabir", cmd = command, root_dir = os.getenv("SABIR_ROOT") }
if vim.lsp.start then
  vim.lsp.start(setup)
else
  vim.lsp.buf_attach_client(0, vim.lsp.start_client(setup))
end
local shown = vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 50)
for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
  print(string.format("%d:%d %s\n", diagnostic.lnum + 1, diagnostic.col + 1, diagnostic.code or "?"))
end
local answers = vim.lsp.buf_request_sync(0, "textDocument/documentSymbol",
  { textDocument = vim.lsp.util.make_text_document_params() }, 3000)
for _, answer in pairs(answers or {}) do
  for _, symbol in ipairs(answer.result or {}) do print("symbol " .. symbol.name .. "\n") end
end
vim.cmd(shown and "qa!" or "cq")
