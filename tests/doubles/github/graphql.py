"""The GraphQL interface: reading a query, checking it, reckoning its cost, answering it.

`prepare` does all that needs no data, so that budgets and faults know what is asked for; `execute` reads the world
under its lock. Texts are parsed and validated once. Wordings and types of errors are GitHub's.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    build_schema,
    get_variable_values,
    parse,
    validate,
    visit,
)  # fmt: skip

from tests.doubles.github.graphql_cost import Cost
from tests.doubles.github.graphql_fields import RateLimit, Root
from tests.doubles.github.graphql_plan import Plan
from tests.doubles.github.requests import Answer, Request, refusal
from tests.doubles.github.store import Store

SCHEMA = build_schema(Path(__file__).with_name("schema.graphql").read_text())
UNKNOWN_FIELD = re.compile(r"Cannot query field '(\w+)' on type '(\w+)'")
# GitHub takes the same name for different types in different branches: state of an issue and of a pull request.
ALLOWED = "they return conflicting types"
NO_QUERY = "A query attribute must be specified and must be a string."
UNAUTHENTICATED = "This endpoint requires you to be authenticated."
MOST_TEXTS = 500

Json = dict[str, Any]


@dataclass
class Text:
    """A query's text, read: its parts, the fields it names by type, or what is wrong with it."""

    operations: list[OperationDefinitionNode] = field(default_factory=list)
    fragments: dict[str, FragmentDefinitionNode] = field(default_factory=dict)
    fields: frozenset[tuple[str, str]] = frozenset()
    errors: list[Json] = field(default_factory=list)


@dataclass
class Prepared:
    """A query with its variables, ready to be answered unless `refused`."""

    refused: Answer | None = None
    fields: frozenset[tuple[str, str]] = frozenset()
    operation: OperationDefinitionNode | None = None
    plan: Plan | None = None
    ids: int = 0
    nodes: int = 0
    points: int = 1


class GraphQL:
    """The interface over a world."""

    def __init__(self, world: Store, schema: GraphQLSchema = SCHEMA) -> None:
        self.world, self.schema = world, schema
        self.texts: dict[str, Text] = {}

    def prepare(self, request: Request) -> Prepared:
        """Read and check a request. Never raises."""
        if not request.token:
            return Prepared(refusal(401, UNAUTHENTICATED, "/graphql/guides/forming-calls-with-graphql"))
        if not isinstance(request.json, dict):
            return Prepared(refusal(400, "Problems parsing JSON", "/graphql"))
        query = request.json.get("query")
        if not isinstance(query, str):
            return Prepared(_errors([{"message": NO_QUERY}]))
        text = self.text(query)
        if text.errors:
            return Prepared(_errors(text.errors), text.fields)
        return self._bind(text, request.json)

    def text(self, query: str) -> Text:
        """A query's text, read; from memory when it was read before."""
        if query not in self.texts:
            if len(self.texts) >= MOST_TEXTS:
                self.texts.clear()
            self.texts[query] = self._read(query)
        return self.texts[query]

    def _read(self, query: str) -> Text:
        try:
            document = parse(query)
        except GraphQLError as error:
            return Text(errors=[_told(error, f"Parse error: {error.message}")])
        return Text(
            operations=[node for node in document.definitions if isinstance(node, OperationDefinitionNode)],
            fragments={node.name.value: node for node in document.definitions
                       if isinstance(node, FragmentDefinitionNode)},
            fields=_fields(self.schema, document),
            errors=[_invalid(error) for error in validate(self.schema, document) if ALLOWED not in error.message],
        )  # fmt: skip

    def _bind(self, text: Text, body: Json) -> Prepared:
        """Put the variables in and reckon the cost."""
        name = body.get("operationName")
        operations = [node for node in text.operations if not name or (node.name and node.name.value == name)]
        if len(operations) != 1:
            return Prepared(_errors([{"message": "An operation name is required" if operations else NO_QUERY}]))
        operation = operations[0]
        variables = get_variable_values(self.schema, operation.variable_definitions or (), body.get("variables") or {})
        if isinstance(variables, list):
            return Prepared(_errors([_told(error, error.message) for error in variables]))
        plan = Plan(self.schema, text.fragments, variables)
        cost = Cost(plan)
        cost.count(self.schema.query_type, operation.selection_set, 1, ())
        cost.check_total()
        refused = Answer(value={"data": None, "errors": cost.errors}) if cost.errors else None
        return Prepared(refused, text.fields, operation, plan, cost.ids, cost.nodes, cost.points)

    def execute(self, prepared: Prepared, rate: RateLimit) -> Answer:
        """Answer a prepared query."""
        if prepared.refused:
            return prepared.refused
        plan, operation = prepared.plan, prepared.operation
        assert plan
        assert operation
        try:
            data = plan.selector([operation.selection_set], ())(Root(self.world, rate))
        except ValueError as error:  # a cursor that is none
            message = f"`{error}` does not appear to be a valid cursor."
            return _errors([{"type": "INVALID_CURSOR_ARGUMENTS", "message": message}])
        value: Json = {"data": data}
        if plan.errors:
            value["errors"] = plan.errors
        return Answer(value=value, cost=prepared.points)


def undefined_fields(prepared: Prepared, names: list[str]) -> Answer | None:
    """What a server without these fields answers, if the query names one of them."""
    errors = [
        _undefined(field_name, type_name) for type_name, field_name in sorted(prepared.fields) if field_name in names
    ]
    return _errors(errors) if errors else None


def _errors(errors: list[Json]) -> Answer:
    return Answer(value={"errors": errors})


def _told(error: GraphQLError, message: str) -> Json:
    locations = [{"line": place.line, "column": place.column} for place in error.locations or ()]
    return {"message": message, "locations": locations}


def _invalid(error: GraphQLError) -> Json:
    unknown = UNKNOWN_FIELD.match(error.message)
    told = _told(error, error.message)
    return _undefined(unknown[1], unknown[2]) | {"locations": told["locations"]} if unknown else told


def _undefined(field_name: str, type_name: str) -> Json:
    return {
        "path": ["query", field_name],
        "extensions": {"code": "undefinedField", "typeName": type_name, "fieldName": field_name},
        "message": f"Field '{field_name}' doesn't exist on type '{type_name}'",
    }


def _fields(schema: GraphQLSchema, document: DocumentNode) -> frozenset[tuple[str, str]]:
    """The fields that a document names, with the types it names them of."""
    found: set[tuple[str, str]] = set()
    info = TypeInfo(schema)

    class Names(Visitor):
        def enter_field(self, node: FieldNode, *_: Any) -> None:
            parent = info.get_parent_type()
            if parent:
                found.add((parent.name, node.name.value))

    visit(document, TypeInfoVisitor(info, Names()))
    return frozenset(found)
