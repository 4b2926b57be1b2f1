"""Categories that readers of the survey miss. No address and no account is stored with them."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Length
from django.db.models.lookups import GreaterThan

from kb.models.priorities import SurveyPlace

MOST_NAME, MOST_MEANS = 80, 600


class ProposedCategory(models.Model):
    """A theme that somebody misses among those that can be ranked; staff read it and mark it as seen."""

    group = models.CharField(max_length=1, choices=SurveyPlace.Group.choices)
    name = models.CharField(max_length=MOST_NAME)
    means = models.CharField(max_length=MOST_MEANS, help_text="What it means, and what shows that it is missing.")
    sent_on = models.DateField(auto_now_add=True)
    is_seen = models.BooleanField(default=False, help_text="Staff have read it and decided what becomes of it.")

    class Meta:
        ordering = ("is_seen", "-pk")
        verbose_name_plural = "proposed categories"
        constraints = (
            models.CheckConstraint(condition=Q(group__in=("A", "B", "C")), name="proposedcategory_group_known"),
            models.CheckConstraint(
                condition=GreaterThan(Length("name"), 0) & GreaterThan(Length("means"), 0),
                name="proposedcategory_says_something",
            ),
        )

    def __str__(self) -> str:
        return f"{self.group}: {self.name}"
