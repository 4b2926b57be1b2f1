"""A project to try everything in: made from the starter knowledge base, clearly marked, and deleted as a whole.

`create` builds it by the same services as any other project; `delete` deletes it with its votes, which nothing else can
do.
"""

SLUG = "demo"
NAME = "Demo: why do runs fail?"
LEAD, FIRST, SECOND = "demo-lead", "demo-ada", "demo-ben"
ACCOUNTS = (LEAD, FIRST, SECOND)
