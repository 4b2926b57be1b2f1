"""Django's registration of the `kb` package."""

from django.apps import AppConfig


class KbConfig(AppConfig):
    """The knowledge base."""

    name = "kb"
    verbose_name = "Knowledge base"
    default_auto_field = "django.db.models.BigAutoField"
