"""New passwords: the site's words do not count, and nothing else is asked of their composition."""

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError


@pytest.mark.parametrize("password", ["faultbook1", "Faultbook2026", "DeepSpeedMegatron1", "my-faultbook"])
def test_the_words_of_the_site_do_not_count(password: str) -> None:
    with pytest.raises(ValidationError, match="do not count"):
        validate_password(password)


@pytest.mark.parametrize("password", ["7305928164", "qzmvxkwjt", "faultbook holds 8 more", "    spaces    "])
def test_any_composition_is_allowed(password: str) -> None:
    validate_password(password)
