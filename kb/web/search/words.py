"""Marking searched words in plain text. Which texts match is decided in `kb.selectors.codebook`."""

import re

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe


def highlight(text: str, words: str) -> SafeString:
    """Escape `text` and put every place where a word of it begins with one of `words` into `<mark>`."""
    wanted = [re.escape(word) for word in sorted(words.split(), key=len, reverse=True)]
    if not wanted:
        return escape(text)
    parts = re.split(rf"(?<!\w)({'|'.join(wanted)})", text, flags=re.IGNORECASE)
    marked = [format_html("<mark>{}</mark>", part) if i % 2 else escape(part) for i, part in enumerate(parts)]
    return mark_safe("".join(marked))  # noqa: S308 - every part was escaped above
