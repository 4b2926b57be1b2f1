"""Django's registration of the `ingest` package."""

from django.apps import AppConfig


class IngestConfig(AppConfig):
    """Imports and mirrors."""

    name = "ingest"
    verbose_name = "Imports and mirrors"
    default_auto_field = "django.db.models.BigAutoField"
