"""A rule on new passwords beside Django's: the words of this site do not count towards their length.

OWASP ASVS 5.0.0, 6.1.2 and 6.2.11. The list is `WORDS`, and docs/configuration.md names it.
"""

import re

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError

WORDS = ("faultbook", "deepspeed", "megatron", "colossal", "pytorch", "labeling", "annotator", "password", "admin")
LEAST = 8
_WORD = re.compile("|".join(WORDS))


class SiteWordsValidator:
    """Refuses a password that is shorter than `LEAST` characters once the site's words are taken out."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:  # noqa: ARG002 as Django calls it
        """Raise ValidationError for such a password."""
        rest = _WORD.sub("", password.casefold())
        if len(rest) < min(LEAST, len(password)):
            raise ValidationError(self.get_help_text(), code="password_of_site_words")

    def get_help_text(self) -> str:
        """The rule, for people who choose a password."""
        return f"Words such as “{WORDS[0]}” do not count: the rest needs {LEAST} characters or more."
