"""The shape of an OSV document, as far as we fill it (`kb.exports.osv`)."""

from rest_framework import serializers

from kb.api.serializers.base import Shape


class OsvPackageSerializer(Shape):
    """A package."""

    ecosystem = serializers.CharField(help_text="`PyPI`.")
    name = serializers.CharField(help_text="Normalised name.")
    purl = serializers.CharField(help_text="Package URL.")


class OsvRangeSerializer(Shape):
    """A range of versions, or of commits."""

    type = serializers.ChoiceField(choices=("ECOSYSTEM", "GIT"), help_text="Whether events are versions or commits.")
    repo = serializers.URLField(required=False, help_text="The repository of commits.")
    events = serializers.ListField(
        child=serializers.DictField(child=serializers.CharField()),
        help_text="`introduced`, then `fixed` or `last_affected`; `0` where the beginning is not known.",
    )
    database_specific = serializers.DictField(help_text="What each bound rests on: version, certainty, evidence.")


class OsvAffectedSerializer(Shape):
    """A package with its ranges."""

    package = OsvPackageSerializer(required=False, help_text="The package; none where ranges are of commits.")
    ranges = OsvRangeSerializer(many=True, help_text="Its ranges.")
    versions = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="The releases in them, where the history was read."
    )


class OsvReferenceSerializer(Shape):
    """A link."""

    type = serializers.ChoiceField(choices=("REPORT", "FIX", "EVIDENCE", "WEB"), help_text="Kind.")
    url = serializers.URLField(help_text="Address.")


class OsvSerializer(Shape):
    """A fault as an OSV document."""

    schema_version = serializers.CharField(help_text="Version of OSV's schema.")
    id = serializers.CharField(help_text="`x_` and the fault's public id, such as `x_FB-000860`.")
    aliases = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="The id made of the report's address."
    )
    modified = serializers.DateTimeField(help_text="Last change of what it is made from (UTC).")
    published = serializers.DateTimeField(required=False, help_text="When the issue was opened (UTC).")
    summary = serializers.CharField(help_text="Title.")
    details = serializers.CharField(allow_blank=True, help_text="Our summary, fix and workaround, in Markdown.")
    related = serializers.ListField(child=serializers.CharField(), required=False, help_text="Ids of relatives.")
    affected = OsvAffectedSerializer(many=True, help_text="Packages with ranges.")
    references = OsvReferenceSerializer(many=True, help_text="Report, fixes and evidence.")
    database_specific = serializers.DictField(help_text="The condition besides versions; `is_vulnerability`: false.")
