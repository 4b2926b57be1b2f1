"""Places for votes: the slots that ensure exactly k different voters per issue."""

import pgtrigger
from django.db import models
from django.db.models import Q

from labeling.models.projects import Member
from labeling.models.rounds import MOST_VOTES, Item


class Slot(models.Model):
    """A place for one vote on an item. There are exactly as many as votes are wanted, so there cannot be more votes."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="slots", db_index=False)
    number = models.PositiveSmallIntegerField()
    for_senior = models.BooleanField(default=False)
    only_for = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="Reserved for this person."
    )
    member = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, blank=True, related_name="slots")
    reserved_until = models.DateTimeField(null=True, blank=True, help_text="Empty once the vote is in.")
    is_assisted = models.BooleanField(
        default=False, db_default=False, help_text="Does its ballot show the answers of the reader that assists?"
    )

    class Meta:
        ordering = ("item", "number")
        constraints = (
            models.UniqueConstraint(fields=("item", "number"), name="slot_item_number_unique"),
            models.UniqueConstraint(fields=("item", "member"), name="slot_item_member_unique"),
            models.UniqueConstraint(fields=("item", "only_for"), name="slot_item_only_for_unique"),
            models.UniqueConstraint(fields=("id", "item", "member"), name="slot_id_item_member_unique"),
            models.CheckConstraint(condition=Q(number__gte=1, number__lte=MOST_VOTES), name="slot_number_is_small"),
            models.CheckConstraint(
                condition=Q(reserved_until=None) | Q(member__isnull=False), name="slot_reserved_for_somebody"
            ),
            models.CheckConstraint(
                condition=Q(only_for=None) | Q(member=None) | Q(member=models.F("only_for")),
                name="slot_kept_for_its_person",
            ),
        )
        indexes = (models.Index(fields=("reserved_until",), name="slot_reserved_until"),)
        triggers = (pgtrigger.ReadOnly(name="keeps_its_arm", fields=["is_assisted"]),)

    def __str__(self) -> str:
        return f"{self.item_id} slot {self.number}"
