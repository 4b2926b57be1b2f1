"""Django's registration of the `ingest` package."""

from django.apps import AppConfig


class IngestConfig(AppConfig):
    """Imports and mirrors."""

    name = "ingest"
    verbose_name = "Imports and mirrors"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have the doctor look at mirrors too, and the audit at imported votes."""
        from ingest.selectors.mirror_health import mirrors
        from ingest.selectors.panels import ImportedPanels
        from kb.panels import add_keeper
        from kb.selectors.health import add_check

        add_check(mirrors)
        add_keeper(ImportedPanels())
