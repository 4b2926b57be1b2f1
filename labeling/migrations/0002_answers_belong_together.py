"""Composite foreign keys that Django cannot express: what belongs to one axis, item, issue or project stays there.

A vote is its slot's: cast on the slot's item by the slot's member, who cannot be exchanged afterwards.
"""

from django.db import migrations

KEYS = (
    ("vote", "vote_is_of_its_slot", "slot_id, item_id, member_id", "slot", "id, item_id, member_id"),
    ("answernode", "answernode_answer_is_on_axis", "answer_id, axis_id", "answer", "id, axis_id"),
    ("answernode", "answernode_version_is_on_axis", "version_id, axis_id", "nodeversion", "id, axis_id"),
    ("answernode", "answernode_several_as_its_axis", "axis_id, several", "projectaxis", "id, several"),
    ("nodeversion", "nodeversion_node_is_on_axis", "node_id, axis_id", "projectnode", "id, axis_id"),
    ("nodeversion", "nodeversion_parent_is_on_axis", "parent_id, axis_id", "projectnode", "id, axis_id"),
    ("codebooknode", "codebooknode_version_is_of_node", "version_id, node_id", "nodeversion", "id, node_id"),
    ("item", "item_snapshot_is_of_issue", "snapshot_id, issue_id", "snapshot", "id, issue_id"),
    ("round", "round_codebook_is_of_project", "codebook_id, project_id", "codebook", "id, project_id"),
)


class Migration(migrations.Migration):
    """After the tables."""

    dependencies = [("labeling", "0001_tables")]
    operations = [
        migrations.RunSQL(
            f"ALTER TABLE labeling_{table} ADD CONSTRAINT {name} "
            f"FOREIGN KEY ({columns}) REFERENCES labeling_{target} ({wanted})",
            f"ALTER TABLE labeling_{table} DROP CONSTRAINT {name}",
        )
        for table, name, columns, target, wanted in KEYS
    ]
