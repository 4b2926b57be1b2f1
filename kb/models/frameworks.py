"""Frameworks and the repositories where their issues live. A repository keeps its old names as aliases."""

import pgtrigger
from django.db import models
from django.db.models.functions import Lower


class Host(models.TextChoices):
    """A place that hosts repositories and their issues."""

    GITHUB = "github.com", "GitHub"
    GITEE = "gitee.com", "Gitee"


class Framework(models.Model):
    """A product that people report faults of."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=80, unique=True)
    homepage = models.URLField(blank=True)
    description = models.TextField(blank=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Repository(models.Model):
    """Where issues of a framework live: host and `owner/name`."""

    framework = models.ForeignKey(Framework, on_delete=models.PROTECT, related_name="repositories")
    host = models.CharField(max_length=40, choices=Host.choices)
    full_name = models.CharField(max_length=200)

    class Meta:
        ordering = ("host", "full_name")
        verbose_name_plural = "repositories"
        constraints = (
            models.UniqueConstraint("host", Lower("full_name"), name="repository_host_name_unique"),
            models.CheckConstraint(
                condition=models.Q(full_name__regex=r"^[^/\s]+/[^/\s]+$"), name="repository_name_form"
            ),
        )
        triggers = (
            pgtrigger.Trigger(
                name="name_is_no_alias",
                operation=pgtrigger.Insert | pgtrigger.UpdateOf("host", "full_name"),
                when=pgtrigger.Before,
                func="""
                    IF EXISTS (SELECT 1 FROM kb_repositoryalias a WHERE a.host = NEW.host
                               AND lower(a.full_name) = lower(NEW.full_name) AND a.repository_id <> NEW.id) THEN
                        RAISE EXCEPTION 'repository % is an old name of another repository', NEW.full_name
                            USING ERRCODE = 'unique_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return self.full_name

    @property
    def url(self) -> str:
        """The repository's address on its host."""
        return f"https://{self.host}/{self.full_name}"


class RepositoryAlias(models.Model):
    """An old name of a renamed or moved repository."""

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="aliases")
    host = models.CharField(max_length=40, choices=Host.choices)
    full_name = models.CharField(max_length=200)

    class Meta:
        ordering = ("host", "full_name")
        verbose_name_plural = "repository aliases"
        constraints = (models.UniqueConstraint("host", Lower("full_name"), name="alias_host_name_unique"),)
        triggers = (
            pgtrigger.Trigger(
                name="alias_is_no_current_name",
                operation=pgtrigger.Insert | pgtrigger.UpdateOf("host", "full_name"),
                when=pgtrigger.Before,
                func="""
                    IF EXISTS (SELECT 1 FROM kb_repository r WHERE r.host = NEW.host
                               AND lower(r.full_name) = lower(NEW.full_name)) THEN
                        RAISE EXCEPTION 'alias % is the current name of a repository', NEW.full_name
                            USING ERRCODE = 'unique_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return self.full_name
