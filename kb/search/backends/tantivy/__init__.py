"""The engine that ships with the product: tantivy, a search library in Rust, inside our own processes.

`reader` answers, `writer` writes; `schema` is what both agree on, and `folder` how indexes lie on disk.
"""

from kb.search.backends.tantivy.reader import TantivyBackend
from kb.search.backends.tantivy.writer import TantivyIndex

__all__ = ["TantivyBackend", "TantivyIndex"]
