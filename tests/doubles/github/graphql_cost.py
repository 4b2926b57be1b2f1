"""What a GraphQL query may ask for at most, and what it costs, reckoned from its text and variables alone.

As GitHub does it: every paged list below a hundred of something is a hundred requests, a hundred requests are a point;
a list whose values are wanted must say how many, at most a hundred; half a million values are the most for one query.
"""

from dataclasses import dataclass, field
from typing import Any

from graphql import (
    FieldNode,
    FragmentSpreadNode,
    GraphQLInterfaceType,
    GraphQLObjectType,
    InlineFragmentNode,
    SelectionSetNode,
    get_argument_values,
    get_named_type,
)  # fmt: skip

from tests.doubles.github.graphql_plan import Path, Plan

MOST_NODES = 500_000
MOST_IDS = 100
MOST_AT_ONCE = 100
VALUES = frozenset({"nodes", "edges"})


@dataclass
class Cost:
    """The sums: node ids asked for, values and requests possible, and what is not allowed."""

    plan: Plan
    ids: int = 0
    nodes: int = 0
    requests: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)

    @property
    def points(self) -> int:
        """What the query costs."""
        return max(1, round(self.requests / 100))

    def count(self, kind: Any, selection_set: SelectionSetNode, times: int, path: Path) -> None:
        """Add what a selection of a type asks for, `times` over."""
        for node in selection_set.selections:
            if self.plan.is_left_out(node):
                continue
            if isinstance(node, FieldNode):
                self._field(kind, node, times, path)
                continue
            fragment: Any = self.plan.fragments[node.name.value] if isinstance(node, FragmentSpreadNode) else node
            condition = fragment.type_condition
            inner = self.plan.schema.get_type(condition.name.value) if condition else kind
            self.count(inner, fragment.selection_set, times, path)

    def _field(self, kind: Any, node: FieldNode, times: int, path: Path) -> None:
        if not node.selection_set or not isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            return
        definition = kind.fields[node.name.value]
        named = get_named_type(definition.type)
        arguments = get_argument_values(definition, node, self.plan.variables)
        here = (*path, node.alias.value if node.alias else node.name.value)
        if "ids" in arguments:
            times = self._ids(arguments["ids"], node, times, here)
        elif named.name.endswith("Connection"):
            size = self._size(arguments, node, here)
            self.requests += times if size else 0
            self.nodes += times * size
            times *= size
        self.count(named, node.selection_set, times, here)

    def _ids(self, ids: list[str], node: FieldNode, times: int, path: Path) -> int:
        self.ids += len(ids)
        self.nodes += len(ids)
        if len(ids) > MOST_IDS:
            message = f"You may not provide more than {MOST_IDS} node ids; you provided {len(ids)}."
            self._refuse("ARGUMENT_LIMIT", message, node, path)
        return times * len(ids)

    def _size(self, arguments: dict[str, Any], node: FieldNode, path: Path) -> int:
        """How many values a page holds at most."""
        name = node.name.value
        bound = "first" if arguments.get("first") is not None else "last"
        size: int | None = arguments.get(bound)
        if size is None:
            if self._wants_values(node):
                message = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
                self._refuse("MISSING_PAGINATION_BOUNDARIES", message, node, path)
            return 0
        if size < 0:
            self._refuse("INVALID_PAGINATION", f"`{bound}` on the `{name}` connection cannot be less than zero.",
                         node, path)  # fmt: skip
        if size > MOST_AT_ONCE:
            message = f"Requesting {size} records on the `{name}` connection exceeds the `{bound}` limit of {MOST_AT_ONCE} records."  # noqa: E501
            self._refuse("EXCESSIVE_PAGINATION", message, node, path)
        return max(0, size)

    def _wants_values(self, node: FieldNode) -> bool:
        """Whether more than counts are selected of a list."""
        assert node.selection_set
        found: list[str] = []

        def look(selection_set: SelectionSetNode) -> None:
            for inner in selection_set.selections:
                if isinstance(inner, FieldNode):
                    found.append(inner.name.value)
                elif isinstance(inner, InlineFragmentNode):
                    look(inner.selection_set)
                elif isinstance(inner, FragmentSpreadNode):
                    look(self.plan.fragments[inner.name.value].selection_set)

        look(node.selection_set)
        return not VALUES.isdisjoint(found)

    def _refuse(self, kind: str, message: str, node: FieldNode, path: Path) -> None:
        token = node.loc.start_token if node.loc else None
        locations = [{"line": token.line, "column": token.column}] if token else []
        self.errors.append({"type": kind, "path": list(path), "locations": locations, "message": message})

    def check_total(self) -> None:
        """Refuse a query that could ask for too much."""
        if self.nodes > MOST_NODES:
            message = f"This query requests up to {self.nodes:,} possible nodes which exceeds the maximum limit of {MOST_NODES:,}."  # noqa: E501
            self.errors.append({"type": "MAX_NODE_LIMIT_EXCEEDED", "message": message})
