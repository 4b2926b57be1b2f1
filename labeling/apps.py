"""Django's registration of the `labeling` package."""

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    """Projects, rounds and votes."""

    name = "labeling"
    verbose_name = "Labeling"
    default_auto_field = "django.db.models.BigAutoField"
