"""What charts count: a narrow row for each issue and holder, kept current by triggers (migrations 0015 and 0022).

Nothing writes here but those triggers. An issue that nobody labelled has no row; what rules suggest is in none.
"""

from django.db import models

# The holder of what people, whoever of them, answered in the house codebook. Others are a source's id.
HOUSE = 0


class IssueFacts(models.Model):
    """An issue's answers as one holder gave them: house nodes of all people's labels, or what one source alone says.

    Answers are the ids of the nodes as labelled, without those above them, sorted as text with blanks between; empty
    when the question was not answered. Thousands of texts are told apart in half of the time that arrays take.
    `lines` and `files` are those of the smallest known fix, `hours_open` whole hours that passed.
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

    class Meta:
        verbose_name_plural = "facts of issues"
        indexes = (
            models.Index(fields=("issue_id",), name="facts_issue"),
            # Playbooks are counted from it alone, without a look at the rows.
            models.Index(
                fields=("fix",),
                include=("issue_id", "framework_id", "symptom", "cause"),
                condition=models.Q(holder=HOUSE, is_pull=False),
                name="facts_patterns",
            ),
            # So are charts of the house: what they count of an issue stands together, in the order of days.
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
