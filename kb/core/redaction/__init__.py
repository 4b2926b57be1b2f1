"""Hides whose log it was: secrets, people, machines and folders, each behind one name that stays the same.

`hosts` finds names and addresses of machines, `paths` people and folders, `kb.core.secrets` secrets; `redactor` puts a
stand-in wherever one of them stands. File names stay, and so does the rest of the text.
"""

from kb.core.redaction.findings import Kind
from kb.core.redaction.redactor import Piece, Redacted, Redactor, redact

__all__ = ["Kind", "Piece", "Redacted", "Redactor", "redact"]
