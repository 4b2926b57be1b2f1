"""The package as Django sees it."""

import warnings

from django.apps import apps
from django.urls.converters import get_converters

from kb.http.site import TextConverter


def test_it_can_be_made_ready_twice() -> None:
    """From Django 6 on, a converter's name that is taken is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        apps.get_app_config("kb").ready()
    assert isinstance(get_converters()["text"], TextConverter)
