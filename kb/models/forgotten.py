"""People who asked that their words be taken away, and the triggers that keep them away, whichever way they come in."""

from django.db import models
from django.db.models.functions import Lower

from kb.models.frameworks import Host

FORGOTTEN_ISSUE = """
    IF EXISTS (SELECT 1 FROM kb_forgottenauthor f JOIN kb_repository r ON r.host = f.host
               WHERE r.id = NEW.repository_id AND lower(f.login) = lower(NEW.author)) THEN
        NEW.title = '';
        NEW.body = '';
        NEW.author = '';
    END IF;
    RETURN NEW;
"""
FORGOTTEN_COMMENT = """
    IF EXISTS (SELECT 1 FROM kb_forgottenauthor f JOIN kb_repository r ON r.host = f.host
               JOIN kb_issue i ON i.repository_id = r.id
               WHERE i.id = NEW.issue_id AND lower(f.login) = lower(NEW.author)) THEN
        NEW.body = '';
        NEW.author = '';
    END IF;
    RETURN NEW;
"""


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
