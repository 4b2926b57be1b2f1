"""Composite foreign keys that Django cannot express: a label's node, and a node's parent, are on the same axis."""

from django.db import migrations


class Migration(migrations.Migration):
    """After the tables."""

    dependencies = [("kb", "0002_tables")]
    operations = [
        migrations.RunSQL(
            """
            ALTER TABLE kb_label ADD CONSTRAINT label_node_is_on_axis
                FOREIGN KEY (node_id, axis_id) REFERENCES kb_node (id, axis_id) DEFERRABLE INITIALLY DEFERRED;
            ALTER TABLE kb_node ADD CONSTRAINT node_parent_is_on_axis
                FOREIGN KEY (parent_id, axis_id) REFERENCES kb_node (id, axis_id) DEFERRABLE INITIALLY DEFERRED;
            """,
            """
            ALTER TABLE kb_label DROP CONSTRAINT label_node_is_on_axis;
            ALTER TABLE kb_node DROP CONSTRAINT node_parent_is_on_axis;
            """,
        ),
    ]
