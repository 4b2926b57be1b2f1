"""Many models and their triggers as one operation of a migration."""

from collections.abc import Sequence

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from pgtrigger.migrations import AddTrigger


class CreateTables(Operation):
    """As the operations one by one, but every model is rendered once.

    Django renders all related models anew for each operation, which took most of the time of migrating.
    """

    def __init__(self, operations: Sequence[CreateModel | AddTrigger]) -> None:
        self.operations = operations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Adds all models to the state, which renders them when it is next asked for one."""
        state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Creates tables and triggers."""
        for operation in self.operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Drops triggers and tables; the models are those of `from_state`."""
        for operation in reversed(self.operations):
            states = (from_state, from_state) if isinstance(operation, AddTrigger) else (from_state, to_state)
            operation.database_backwards(app_label, schema_editor, *states)

    def describe(self) -> str:
        """Django prints it in plans."""
        return f"Create {sum(isinstance(operation, CreateModel) for operation in self.operations)} tables"
