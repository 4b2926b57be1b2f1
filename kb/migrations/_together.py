"""A migration whose operations render the models once, and not once each."""

from collections.abc import Iterator, Sequence

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import AddConstraint, AddField, AddIndex, CreateModel, Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from pgtrigger.migrations import AddTrigger


class Together(Migration):
    """No two of its operations change the same field.

    Django renders all related models anew for each operation, which took most of the time of migrating.
    """

    def __init__(self, name: str, app_label: str) -> None:
        super().__init__(name, app_label)
        self.operations = [_All(self.operations)]


class _All(Operation):
    """Runs operations on two states: the models before the first of them and after the last."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations
        self._created = {each.name_lower for each in operations if isinstance(each, CreateModel)}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Changes the state, which renders its models when it is next asked for one."""
        state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Runs them one by one."""
        for operation in self._of_the_database():
            operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Takes them back, the last first; `to_state` has the models before all of them."""
        for operation in reversed(list(self._of_the_database())):
            # What these take away may name fields and tables that go only afterwards.
            before = from_state if isinstance(operation, AddConstraint | AddTrigger) else to_state
            operation.database_backwards(app_label, schema_editor, from_state, before)

    def describe(self) -> str:
        """Django prints it in plans."""
        return "; ".join(operation.describe() for operation in self.operations)

    def _of_the_database(self) -> Iterator[Operation]:
        """All but what a table that is made here has from the beginning."""
        for operation in self.operations:
            is_part = isinstance(operation, AddField | AddConstraint | AddIndex)
            if not (is_part and operation.model_name_lower in self._created):
                yield operation
