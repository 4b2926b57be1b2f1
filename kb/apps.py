"""Django's registration of the `kb` package."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, register
from django.urls import register_converter
from django.urls.converters import get_converters

from kb.http.site import IssueIdConverter, PackageConverter, PublicIdConverter, TextConverter, VersionConverter


class KbConfig(AppConfig):
    """The knowledge base."""

    name = "kb"
    verbose_name = "Knowledge base"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make our parts of a path known to the address lists; Django may ask again, and takes a name but once."""
        if "text" not in get_converters():
            register_converter(TextConverter, "text")
            register_converter(PackageConverter, "package")
            register_converter(VersionConverter, "version")
            register_converter(IssueIdConverter, "issue")
            register_converter(PublicIdConverter, "fault")
        register(check_declarations)


def check_declarations(app_configs: Sequence[AppConfig] | None, **_kwargs: Any) -> list[CheckMessage]:  # noqa: ARG001
    """What filters on issues and charts still lack, for `manage.py check`."""
    # Imported here: most processes never check anything, and search takes a while to load.
    from kb.charts import checks as charts
    from kb.search import checks as filters

    return [*filters.faults(), *charts.faults()]
