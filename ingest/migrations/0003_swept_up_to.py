from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ingest", "0002_mirrors")]

    operations = [
        migrations.RenameField("cursor", "swept_ref", "swept_up_to"),
        migrations.AlterField(
            "cursor",
            "swept_up_to",
            models.PositiveBigIntegerField(default=0, help_text="The sweep has looked at rows up to this id."),
        ),
    ]
