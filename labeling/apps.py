"""Django's registration of the `labeling` package."""

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    """Projects, rounds and votes."""

    name = "labeling"
    verbose_name = "Labeling"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have the audit look at the votes of closed rounds."""
        from kb.audit.panels import add_keeper
        from labeling.selectors.panels import RoundPanels

        add_keeper(RoundPanels())
