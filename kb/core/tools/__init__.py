"""What agents ask, and how they are answered: five tools, the same over the server's data as over a file's.

`catalogue` has the tools, `arguments` and `answers` what they take and answer, `texts` how the words of others are
passed on, `budget` how long an answer may be, `protocol` all of it as MCP has it. Where answers come from is not here:
the server fills them in `kb.mcp`.
"""
