"""Screenings exclude by their rule from now on; those that are there excluded by every vote, and go on so."""

from django.db import migrations

FORWARDS = (
    "UPDATE labeling_round SET rule = 'unanimous' WHERE kind = 'screening' AND rule IN ('majority', 'discussion')"
)


class Migration(migrations.Migration):
    dependencies = [("labeling", "0017_axes_of_ones_own")]

    operations = [migrations.RunSQL(FORWARDS, migrations.RunSQL.noop)]
