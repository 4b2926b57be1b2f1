"""Changes of described faults."""

from rest_framework import serializers

from kb.api.serializers.base import Shape, Stated

KINDS = ("created", "changed", "withdrawn")


class ChangeSerializer(Shape):
    """The last change of a fault."""

    public_id = serializers.CharField(help_text="The fault's public id.")
    change = serializers.ChoiceField(
        choices=KINDS, help_text="`withdrawn`: no fault has the id now, and none will have it again."
    )
    changed_at = serializers.DateTimeField(help_text="When it became visible (UTC).")
    replaced_by = Stated(help_text="The id that the same fault has now; null where there is none.")
    page = serializers.URLField(allow_null=True, help_text="Our page about it; null where it is withdrawn.")


class ChangesSerializer(Shape):
    """Changes in the order in which they became visible."""

    changes = ChangeSerializer(many=True, help_text="The changes, the earliest first; each id once.")
    next = serializers.CharField(help_text="Send it as `since` the next time, also where nothing changed.")
    has_more = serializers.BooleanField(help_text="Whether there are more already.")
