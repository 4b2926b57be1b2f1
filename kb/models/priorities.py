"""Answers to the survey of priorities: role, experience, and a ranking of themes.

A person is identified by their account, or by a digest of a token in their browser; no address is stored.
"""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q

from kb.models.codebook import Node


class SurveyAnswer(models.Model):
    """One person's answer. Staff can exclude it from the results, with a reason."""

    class Role(models.TextChoices):
        """User or developer of frameworks; `both` counts in each group."""

        USER = "user", "I use LLM frameworks"
        DEVELOPER = "developer", "I develop LLM frameworks"
        BOTH = "both", "Both"

    class Experience(models.TextChoices):
        """Years of experience."""

        UNDER_1 = "under_1", "Less than 1 year"
        FROM_1_TO_3 = "from_1_to_3", "1 to 3 years"
        OVER_3 = "over_3", "More than 3 years"

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    token_digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of what the person's browser keeps.")
    role = models.CharField(max_length=9, choices=Role.choices)
    experience = models.CharField(max_length=11, choices=Experience.choices)
    sent_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    excluded_because = models.TextField(blank=True, help_text="Why it does not count. The person is told.")
    excluded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(fields=("token_digest",), condition=~Q(token_digest=""), name="surveyanswer_token"),
            models.CheckConstraint(
                condition=Q(user__isnull=False) | ~Q(token_digest=""), name="surveyanswer_is_somebodys"
            ),
            models.CheckConstraint(condition=Q(role__in=("user", "developer", "both")), name="surveyanswer_role_known"),
            models.CheckConstraint(
                condition=Q(experience__in=("under_1", "from_1_to_3", "over_3")), name="surveyanswer_experience_known"
            ),
            models.CheckConstraint(
                condition=Q(excluded_at__isnull=True, excluded_because="")
                | (Q(excluded_at__isnull=False) & ~Q(excluded_because="")),
                name="surveyanswer_excluded_with_reason",
            ),
        )

    def __str__(self) -> str:
        return f"Answer {self.pk}"


class SurveyPlace(models.Model):
    """A theme's place in an answer's ranking. All places of an answer are written by one statement."""

    class Group(models.TextChoices):
        """The group of a theme: the first letter of its code."""

        QUESTIONS = "A", "Questions"
        REQUIREMENTS = "B", "Requirements"
        BUGS = "C", "Bugs"

    answer = models.ForeignKey(SurveyAnswer, on_delete=models.CASCADE, related_name="places", db_index=False)
    group = models.CharField(max_length=1, choices=Group.choices)
    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="+")
    rank = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("answer", "group", "rank")
        constraints = (
            models.UniqueConstraint(fields=("answer", "group", "rank"), name="surveyplace_rank_once"),
            models.UniqueConstraint(fields=("answer", "node"), name="surveyplace_theme_once"),
            models.CheckConstraint(condition=Q(rank__gte=1, rank__lte=5), name="surveyplace_rank_1_to_5"),
            models.CheckConstraint(condition=Q(group__in=("A", "B", "C")), name="surveyplace_group_known"),
        )
        triggers = (
            pgtrigger.Trigger(
                name="themes_without_gaps",
                operation=pgtrigger.Insert,
                when=pgtrigger.After,
                level=pgtrigger.Statement,
                referencing=pgtrigger.Referencing(new="new_places"),
                func="""
                    IF EXISTS (
                        SELECT 1 FROM new_places p JOIN kb_node n ON n.id = p.node_id
                        JOIN kb_axis a ON a.id = n.axis_id JOIN kb_scheme s ON s.id = a.scheme_id
                        WHERE n.status <> 'active' OR n.parent_id IS NOT NULL OR a.code <> 'theme'
                            OR s.study_id IS NOT NULL OR split_part(n.code, '.', 1) <> p."group"
                    ) THEN
                        RAISE EXCEPTION 'only active themes of the house codebook can be ranked, each in its own group'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    IF EXISTS (
                        SELECT 1 FROM kb_surveyplace p
                        WHERE p.answer_id IN (SELECT answer_id FROM new_places)
                        GROUP BY p.answer_id, p."group" HAVING max(p.rank) <> count(*)
                    ) THEN
                        RAISE EXCEPTION 'a ranking leaves no place empty' USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NULL;
                """,
            ),
            pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),
        )

    def __str__(self) -> str:
        return f"{self.group} {self.rank}: {self.node}"
