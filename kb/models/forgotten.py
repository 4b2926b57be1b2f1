"""People who asked for their texts to be erased. Triggers (migration 0014) keep these from coming back."""

from django.db import models
from django.db.models.functions import Lower

from kb.models.frameworks import Host


class ForgottenAuthor(models.Model):
    """An account on a host whose texts are not stored; the facts of its issues are."""

    host = models.CharField(max_length=40, choices=Host.choices)
    login = models.CharField(max_length=80)
    asked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("host", "login")
        constraints = (models.UniqueConstraint("host", Lower("login"), name="forgottenauthor_once"),)

    def __str__(self) -> str:
        return f"{self.login} on {self.get_host_display()}"
