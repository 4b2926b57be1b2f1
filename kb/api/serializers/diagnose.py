"""The shapes of a diagnosis and its job, for the documentation: the data comes from `kb.diagnose.answer` as it is.

A diagnosis's are derived from its type in `kb.core.diagnosis.schema`; tests/contracts/test_diagnosis_shape.py holds
real diagnoses against them.
"""

import datetime as dt
from copy import deepcopy
from functools import cache
from types import NoneType
from typing import Any, Literal, NotRequired, get_args, get_origin

from annotated_types import Ge, Le
from rest_framework import serializers
from typing_extensions import get_type_hints, is_typeddict

from kb.api.serializers.base import Shape
from kb.core.diagnosis.schema import DiagnosisData
from kb.models import DiagnosisJob

PLAIN_FIELDS: dict[type, type[serializers.Field[Any, Any, Any, Any]]] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    dt.datetime: serializers.DateTimeField,
}


@cache
def serializer_of(shape: type) -> type[Shape]:
    """A serializer with the keys of a TypedDict, named after it without `Data`."""
    hints = get_type_hints(shape, include_extras=True)
    fields = {key: _field(hint) for key, hint in hints.items()}
    name = shape.__name__.removesuffix("Data") + "Serializer"
    return type(name, (Shape,), {"__doc__": shape.__doc__, "__module__": __name__, **fields})


def _field(hint: Any) -> serializers.Field[Any, Any, Any, Any]:
    """The field of a key; the hint is a type with a `Field` that describes it, REST framework's or pydantic's."""
    if get_origin(hint) is NotRequired:
        (hint,) = get_args(hint)
    value, described = get_args(hint)
    if isinstance(described, serializers.Field):
        # REST framework orders keys by when their fields were made.
        return deepcopy(described)
    options: dict[str, Any] = {"help_text": described.description}
    for bound in described.metadata:
        if isinstance(bound, Ge):
            options["min_value"] = bound.ge
        elif isinstance(bound, Le):
            options["max_value"] = bound.le
    choices = get_args(value)
    if NoneType in choices:
        value = choices[0]
        options["allow_null"] = True
    return _field_of_type(value, options)


def _field_of_type(value: Any, options: dict[str, Any]) -> serializers.Field[Any, Any, Any, Any]:
    if is_typeddict(value):
        return serializer_of(value)(**options)
    origin = get_origin(value)
    if origin is Literal:
        return serializers.ChoiceField(choices=get_args(value), **options)
    if origin is dict:
        return serializers.DictField(child=_field_of_type(get_args(value)[1], {}), **options)
    if origin not in (list, tuple):
        return PLAIN_FIELDS[value](**options)
    item = get_args(value)[0]
    if is_typeddict(item):
        return serializer_of(item)(many=True, **options)
    return serializers.ListField(child=_field_of_type(item, {}), **options)


DiagnosisSerializer = serializer_of(DiagnosisData)


class DiagnosisFileSerializer(Shape):
    """A file of a job."""

    name = serializers.CharField(help_text="Its name.")
    bytes = serializers.IntegerField(min_value=0, help_text="Its size, as it was sent.")
    healthy = serializers.BooleanField(help_text="It is of a run that went well.")


class DiagnosisJobSerializer(Shape):
    """A diagnosis that takes longer than an answer may."""

    id = serializers.UUIDField(help_text="Number of the job; nobody can guess it, so keep it to yourself.")
    url = serializers.URLField(help_text="Where to look, and what to delete.")
    state = serializers.ChoiceField(
        choices=DiagnosisJob.State.choices,
        help_text="Its state. `refused`: it cannot be diagnosed as sent. `failed`: our error.",
    )
    progress = serializers.FloatField(min_value=0, max_value=1, help_text="Share of the upload that was read.")
    bytes_given = serializers.IntegerField(min_value=0, help_text="Bytes uploaded.")
    bytes_taken = serializers.IntegerField(min_value=0, help_text="Bytes of the upload that were read.")
    bytes_read = serializers.IntegerField(min_value=0, help_text="Bytes of unpacked text that were read.")
    files = DiagnosisFileSerializer(many=True, help_text="What was sent.")
    created_at = serializers.DateTimeField(help_text="When it was requested.")
    finished_at = serializers.DateTimeField(allow_null=True, help_text="When it ended.")
    expires_at = serializers.DateTimeField(help_text="When it will be deleted.")
    error = serializers.CharField(allow_null=True, help_text="Why there is no result, and what to do.")
    result = DiagnosisSerializer(allow_null=True, help_text="The diagnosis, once it is done.")
