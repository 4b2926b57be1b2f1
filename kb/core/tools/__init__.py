"""What agents ask, and how they are answered: five tools, the same over the server's data as over a file's.

`answers` has the shapes, `arguments` what each tool takes, `texts` how the words of others are passed on, `budget` how
long an answer may be, `protocol` the tools and resources as MCP has them. Where answers come from is not here: the
server fills them in `kb.mcp`.
"""
