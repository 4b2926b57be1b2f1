"""The server's face for agents: MCP over HTTP at `/mcp`. What the tools take and answer is `kb.core.tools`.

`tools` asks search, selectors and services; `rows` and `log_rows` put what they find into the tools' shapes; `exchange`
runs one request through the SDK; `view` is the address.
"""
