"""Searches that found nothing close, by their words: how often and when, never by whom."""

from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import GreaterThan, LessThanOrEqual

MOST_CHARACTERS = 120


class MissedSearch(models.Model):
    """Words that were searched for and that nothing came near.

    No visitor, address or time of day is stored, and no text in which a secret, a person or a machine shows.
    """

    words = models.CharField(max_length=MOST_CHARACTERS, unique=True, help_text="In small letters, blanks folded.")
    searches = models.PositiveIntegerField(default=1)
    first_on = models.DateField()
    last_on = models.DateField()
    is_hidden = models.BooleanField(default=False, help_text="Staff do not want it among the most wanted.")

    class Meta:
        ordering = ("-searches", "-last_on", "words")
        verbose_name_plural = "missed searches"
        constraints = (
            models.CheckConstraint(
                condition=GreaterThan(Length("words"), 0) & LessThanOrEqual(Length("words"), MOST_CHARACTERS),
                name="missedsearch_size",
            ),
            models.CheckConstraint(
                condition=models.Q(last_on__gte=models.F("first_on")), name="missedsearch_days_in_order"
            ),
        )

    def __str__(self) -> str:
        return self.words
