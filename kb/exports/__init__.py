"""Files and citations that leave the knowledge base: what a page shows, in a format another tool reads."""

from collections.abc import Mapping, Sequence

# A value as JSON holds it, and a whole document.
Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]
Document = Mapping[str, Json]
