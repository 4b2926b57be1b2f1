"""Items that annotators skipped, or flagged for the lead, and the lead's answers to flags."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from labeling.models.projects import Member
from labeling.models.rounds import Item


class Pass(models.Model):
    """An item that an annotator skipped or flagged for the lead, with the reason, and the lead's answer to a flag."""

    class Kind(models.TextChoices):
        """What becomes of the item."""

        SKIP = "skip", "Skipped"
        FLAG = "flag", "Flagged"

    class Outcome(models.TextChoices):
        """What the lead's answer does with a flagged item."""

        RETURNED = "returned", "Returned to the annotator"
        DROPPED = "dropped", "Dropped from the round"

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="passes", db_index=False)
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="passes")
    kind = models.CharField(max_length=4, choices=Kind.choices)
    reason = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    taken_back_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True, db_default="", help_text="The lead's, which the annotator sees.")
    outcome = models.CharField(max_length=8, choices=Outcome.choices, blank=True, db_default="")
    answered_by = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("item", "member"), condition=Q(taken_back_at=None), name="pass_item_member_unique"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="pass_has_reason"),
            models.CheckConstraint(
                condition=Q(answer="", outcome="", answered_by=None, answered_at=None)
                | Q(~Q(answer=""), ~Q(outcome=""), kind="flag", answered_by__isnull=False, answered_at__isnull=False),
                name="pass_answered_flag_is_whole",
            ),
        )

    def __str__(self) -> str:
        return f"{self.item_id} {self.get_kind_display()}"
