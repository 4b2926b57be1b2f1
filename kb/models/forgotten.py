"""People who asked that their words be taken away.

Triggers keep them away, whichever way they come in; they are written out in migration 0014.
"""

from django.db import models
from django.db.models.functions import Lower

from kb.models.frameworks import Host


class ForgottenAuthor(models.Model):
    """Somebody whose words are not kept here; the facts of their issues are."""

    host = models.CharField(max_length=40, choices=Host.choices)
    login = models.CharField(max_length=80)
    asked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("host", "login")
        constraints = (models.UniqueConstraint("host", Lower("login"), name="forgottenauthor_once"),)

    def __str__(self) -> str:
        return f"{self.login} on {self.get_host_display()}"
