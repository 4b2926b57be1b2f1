"""Django's registration of the `ingest` package."""

from django.apps import AppConfig


class IngestConfig(AppConfig):
    """Imports and mirrors."""

    name = "ingest"
    verbose_name = "Imports and mirrors"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have the doctor look at mirrors too, the audit at imported votes, and studies' tables at imported rows."""
        from ingest.selectors.mirror_health import mirrors
        from ingest.selectors.panels import ImportedPanels
        from ingest.selectors.recounts import count_rows
        from kb.audit.panels import add_keeper
        from kb.health.checks import add_check
        from kb.selectors.published import count_by

        add_check(mirrors)
        count_by(count_rows)
        add_keeper(ImportedPanels())
