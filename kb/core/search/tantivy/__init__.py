"""The engine that ships with the product: tantivy, a search library in Rust, inside our own processes.

`reader` answers, `writer` writes; `schema` is what both agree on, and `folder` how indexes lie on disk.
"""

from kb.core.search.tantivy.reader import TantivyBackend
from kb.core.search.tantivy.writer import TantivyIndex

__all__ = ["TantivyBackend", "TantivyIndex"]
