"""What changed of described faults: what triggers wrote down, and the last change of each id in one order."""

from django.db import models
from django.db.models.functions import Now


class FaultTouch(models.Model):
    """An id of which something changed; triggers of migration 0042 write it, `kb.services.fault_changes` takes it.

    A transaction that commits late brings a row with an old id: what is visible is taken, never all up to some id.
    """

    public_id = models.CharField(max_length=20)

    def __str__(self) -> str:
        return self.public_id


class FaultChange(models.Model):
    """The last change of an id. `number`: the order in which changes became visible; each takes a new one."""

    public_id = models.CharField(max_length=20, primary_key=True)
    number = models.BigIntegerField(unique=True)
    created_number = models.BigIntegerField(help_text="The number of its first change.")
    changed_at = models.DateTimeField(db_default=Now())
    is_withdrawn = models.BooleanField(default=False, help_text="No issue has the id now.")
    replaced_by = models.CharField(max_length=20, blank=True, help_text="The id that its issue has now.")

    class Meta:
        ordering = ("number",)

    def __str__(self) -> str:
        return f"{self.public_id}: {self.number}"
