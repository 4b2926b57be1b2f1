"""The admin's pages about imports and mirrors."""

from ingest.admin import imports, mirrors

__all__ = ["imports", "mirrors"]
