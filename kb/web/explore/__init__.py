"""The pages under Explore."""

from typing import Any

# What Django renders a template with: its own names, of any type.
Context = dict[str, Any]
