"""Help texts and names of choices in plainer words; no table changes."""

from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("kb", "0030_no_function_without_its_trigger"),
    ]

    operations = [
        migrations.AlterField(
            model_name="provenance",
            name="is_undecidable",
            field=models.BooleanField(default=False, help_text="The outcome is that the report does not say."),
        ),
        migrations.AlterField(
            model_name="provenance",
            name="posts",
            field=models.PositiveIntegerField(default=0, help_text="Number of posts in the discussion."),
        ),
    ]
