"""Carrying out a GraphQL query: its fields are compiled to functions once, then run over the world's values.

A query for a hundred issues with thirty comments each asks for tens of thousands of fields; a function for each field,
chosen once, is what makes that quick. The query is known to be valid (`graphql` sees to it). Errors are collected,
with the path to what is null because of them.
"""

from collections.abc import Callable, Sequence
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLIncludeDirective,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLSkipDirective,
    GraphQLUnionType,
    InlineFragmentNode,
    SelectionSetNode,
    get_argument_values,
    get_directive_values,
    get_named_type,
)  # fmt: skip

from tests.doubles.github.graphql_fields import OBJECTS, SCALARS, TYPE_NAMES, Arguments, Missing
from tests.doubles.github.graphql_lists import CONNECTIONS
from tests.doubles.github.lists import Ordered

Path = tuple[str | int, ...]
Get = Callable[[Any], Any]
Sets = Sequence[SelectionSetNode]
# Fields that may find nothing, or several.
LOOKED_UP = frozenset({"node", "nodes", "repository", "issue", "pullRequest", "issueOrPullRequest"})


class Plan:
    """One query in the making. `errors` fills while it runs."""

    def __init__(self, schema: GraphQLSchema, fragments: dict[str, FragmentDefinitionNode], variables: Any) -> None:
        self.schema, self.fragments, self.variables = schema, fragments, variables
        self.errors: list[dict[str, Any]] = []

    def selector(self, sets: Sets, path: Path) -> Get:
        """A function from a value to what is selected of it, whatever its type."""
        plans: dict[type, list[tuple[str, Get]]] = {}

        def select(value: Any) -> Any:
            if value is None:
                return None
            kind = type(value)
            plan = plans.get(kind)
            if plan is None:
                plan = plans[kind] = self.fields(TYPE_NAMES[kind], sets, path)
            return {key: get(value) for key, get in plan}

        return select

    def fields(self, type_name: str, sets: Sets, path: Path) -> list[tuple[str, Get]]:
        """The selected fields of a type, each with its function."""
        return [(key, self.field(type_name, nodes, (*path, key))) for key, nodes in self.collect(type_name, sets)]

    def field(self, type_name: str, nodes: list[FieldNode], path: Path) -> Get:
        """The function of one field."""
        name = nodes[0].name.value
        if name == "__typename":
            return lambda _: type_name
        scalar = SCALARS[type_name].get(name)
        if scalar:
            return scalar
        sets = [node.selection_set for node in nodes if node.selection_set]
        arguments = self.arguments(type_name, nodes[0])
        listed = CONNECTIONS.get(type_name, {}).get(name)
        if listed:
            return self.connection(listed, arguments, self.named_type(type_name, name), sets, path)
        return self.object(OBJECTS[type_name][name], arguments, sets, path, nodes[0])

    def object(
        self, find: Callable[[Any, Arguments], Any], arguments: Arguments, sets: Sets, path: Path, node: FieldNode
    ) -> Get:
        """The function of a field that is an object, or a list of objects that are asked for one by one."""
        select = self.selector(sets, path)
        if node.name.value not in LOOKED_UP:
            return lambda value: select(find(value, arguments))

        def one(found: Any, where: Path) -> Any:
            if type(found) is not Missing:
                return select(found)
            place = node.loc.start_token if node.loc else None
            self.errors.append({
                "type": "NOT_FOUND",
                "path": list(where),
                "locations": [{"line": place.line, "column": place.column}] if place else [],
                "message": found.message,
            })  # fmt: skip
            return None

        def get(value: Any) -> Any:
            found = find(value, arguments)
            if isinstance(found, list):
                return [one(each, (*path, index)) for index, each in enumerate(found)]
            return one(found, path)

        return get

    def connection(
        self,
        listed: Callable[[Any, Arguments], Ordered[Any]],
        arguments: Arguments,
        type_name: str,
        sets: Sets,
        path: Path,
    ) -> Get:
        """The function of a paged list."""
        first, last = arguments.get("first"), arguments.get("last")
        after, before = arguments.get("after"), arguments.get("before")
        parts = [(key, self.part(type_name, nodes, (*path, key))) for key, nodes in self.collect(type_name, sets)]

        def get(value: Any) -> dict[str, Any]:
            whole = listed(value, arguments)
            start, end = 0, len(whole)
            if after:
                start = whole.after(after)
            if before:
                end = whole.before(before)
            if first is not None:
                end = min(end, start + first)
            elif last is not None:
                start = max(start, end - last)
            return {key: part(whole, start, end) for key, part in parts}

        return get

    def part(self, type_name: str, nodes: list[FieldNode], path: Path) -> Callable[[Ordered[Any], int, int], Any]:
        """The function of a field of a paged list, over the list and the bounds of the page."""
        name = nodes[0].name.value
        sets = [node.selection_set for node in nodes if node.selection_set]
        if name == "nodes":
            select = self.selector(sets, path)
            return lambda whole, start, end: list(map(select, whole.cut(start, end)))
        if name == "edges":
            return self.edges(self.named_type(type_name, name), sets, path)
        if name == "pageInfo":
            keys = [(key, found[0].name.value) for key, found in self.collect("PageInfo", sets)]
            return lambda whole, start, end: _page_info(whole, start, end, keys)
        if name == "__typename":
            return lambda *_: type_name
        return lambda whole, *_: len(whole)

    def edges(self, type_name: str, sets: Sets, path: Path) -> Callable[[Ordered[Any], int, int], Any]:
        """The function of a list's edges."""
        parts = []
        for key, nodes in self.collect(type_name, sets):
            inner = [node.selection_set for node in nodes if node.selection_set]
            parts.append((key, self.selector(inner, (*path, key)) if nodes[0].name.value == "node" else None))

        def get(whole: Ordered[Any], start: int, end: int) -> list[dict[str, Any]]:
            return [
                {key: select(value) if select else whole.cursor_at(index) for key, select in parts}
                for index, value in enumerate(whole.cut(start, end), max(0, start))
            ]

        return get

    # What a selection holds for a type.

    def collect(self, type_name: str, sets: Sets) -> list[tuple[str, list[FieldNode]]]:
        """The fields of the selections by the names they are answered under, fragments and conditions resolved."""
        found: dict[str, list[FieldNode]] = {}
        for selection_set in sets:
            self._collect(type_name, selection_set, found)
        return list(found.items())

    def _collect(self, type_name: str, selection_set: SelectionSetNode, found: dict[str, list[FieldNode]]) -> None:
        for node in selection_set.selections:
            if self.is_left_out(node):
                continue
            if isinstance(node, FieldNode):
                found.setdefault(node.alias.value if node.alias else node.name.value, []).append(node)
                continue
            fragment = self.fragments[node.name.value] if isinstance(node, FragmentSpreadNode) else node
            assert isinstance(fragment, InlineFragmentNode | FragmentDefinitionNode)
            condition = fragment.type_condition.name.value if fragment.type_condition else type_name
            if condition == type_name or self.is_kind_of(type_name, condition):
                self._collect(type_name, fragment.selection_set, found)

    def is_left_out(self, node: Any) -> bool:
        """Whether @skip or @include leaves a selection out."""
        if not node.directives:
            return False
        skip = get_directive_values(GraphQLSkipDirective, node, self.variables)
        include = get_directive_values(GraphQLIncludeDirective, node, self.variables)
        return bool((skip and skip["if"]) or (include and not include["if"]))

    def is_kind_of(self, type_name: str, condition: str) -> bool:
        """Whether a type is one of an interface's or a union's."""
        kind, concrete = self.schema.get_type(condition), self.schema.get_type(type_name)
        if not isinstance(kind, GraphQLInterfaceType | GraphQLUnionType) or not isinstance(concrete, GraphQLObjectType):
            return False
        return self.schema.is_sub_type(kind, concrete)

    def arguments(self, type_name: str, node: FieldNode) -> Arguments:
        """A field's arguments with defaults and variables put in."""
        kind = self.schema.get_type(type_name)
        assert isinstance(kind, GraphQLObjectType)
        return get_argument_values(kind.fields[node.name.value], node, self.variables)

    def named_type(self, type_name: str, name: str) -> str:
        """The name of a field's type, lists and non-null apart."""
        kind = self.schema.get_type(type_name)
        if not isinstance(kind, GraphQLObjectType):
            raise GraphQLError(f"{type_name} has no fields")
        return str(get_named_type(kind.fields[name].type))


def _page_info(whole: Ordered[Any], start: int, end: int, keys: list[tuple[str, str]]) -> dict[str, Any]:
    start, end = max(0, start), min(len(whole), end)
    info = {
        "endCursor": whole.cursor_at(end - 1) if start < end else None,
        "hasNextPage": end < len(whole),
        "hasPreviousPage": start > 0,
        "startCursor": whole.cursor_at(start) if start < end else None,
        "__typename": "PageInfo",
    }
    return {key: info[name] for key, name in keys}
