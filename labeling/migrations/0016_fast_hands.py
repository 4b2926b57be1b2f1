"""A decision that somebody voted for may speak for itself; one that nobody voted for needs a reason."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0012_plainer_words"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="decision",
            name="decision_adjudicated_with_reason",
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("adjudicator__isnull", False), ("how", "adjudication"), models.Q(("cause", ""), _negated=True)
                    ),
                    models.Q(models.Q(("how", "adjudication"), _negated=True), ("adjudicator", None), ("cause", "")),
                    _connector="OR",
                ),
                name="decision_adjudicated_with_cause",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("how", "adjudication"), _negated=True),
                    models.Q(("reason", ""), _negated=True),
                    ("support__gt", 0),
                    _connector="OR",
                ),
                name="decision_unvoted_with_reason",
            ),
        ),
    ]
