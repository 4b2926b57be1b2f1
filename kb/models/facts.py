"""A narrow row for each issue and holder with the values that charts count, written by triggers only.

The triggers are in migrations 0002 and 0037. An issue without labels by people has no row.
"""

from django.db import models

# The holder of all people's answers in the house codebook. Other holders are sources, by id.
HOUSE = 0


class IssueFacts(models.Model):
    """An issue's answers by one holder: by all people in the house codebook, or by one source.

    Answers are the ids of the labelled nodes, without those above them, as sorted text separated by spaces; empty when
    the question was not answered. Grouping by text takes half the time of grouping by arrays. `lines` and `files` are
    those of the smallest known fix, `hours_open` is in whole hours.
    """

    pk = models.CompositePrimaryKey("holder", "issue_id")
    issue_id = models.BigIntegerField()
    holder = models.BigIntegerField()
    framework_id = models.BigIntegerField()
    is_pull = models.BooleanField()
    is_open = models.BooleanField(null=True)
    opened_on = models.DateField(null=True)
    hours_open = models.IntegerField(null=True)
    comments = models.IntegerField(null=True)
    hard = models.BooleanField(null=True)
    lines = models.IntegerField(null=True)
    files = models.IntegerField(null=True)
    small_fix = models.BooleanField(null=True)
    has_fix = models.BooleanField()
    type = models.TextField(db_collation="C")
    symptom = models.TextField(db_collation="C")
    cause = models.TextField(db_collation="C")
    fix = models.TextField(db_collation="C")
    stage = models.TextField(db_collation="C")
    component = models.TextField(db_collation="C")
    theme = models.TextField(db_collation="C")
    hardware = models.TextField(db_collation="C", db_default="")

    class Meta:
        verbose_name_plural = "facts of issues"
        indexes = (
            models.Index(fields=("issue_id",), name="facts_issue"),
            # Playbooks are counted by an index-only scan.
            models.Index(
                fields=("fix",),
                include=("issue_id", "framework_id", "symptom", "cause"),
                condition=models.Q(holder=HOUSE, is_pull=False),
                name="facts_patterns",
            ),
            # Charts of the house codebook, too, in the order of days.
            models.Index(
                fields=("opened_on",),
                include=(
                    "issue_id",
                    "framework_id",
                    "is_open",
                    "hours_open",
                    "comments",
                    "hard",
                    "lines",
                    "files",
                    "small_fix",
                    "has_fix",
                    "type",
                    "symptom",
                    "cause",
                    "fix",
                    "stage",
                    "component",
                    "theme",
                ),
                condition=models.Q(holder=HOUSE, is_pull=False),
                name="facts_of_house",
            ),
        )

    def __str__(self) -> str:
        return f"Facts of issue {self.issue_id} as held by {self.holder}"
