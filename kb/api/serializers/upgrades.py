"""The shapes of an upgrade and of its faults and fixes; they are filled in `kb.exports.upgrades`."""

from rest_framework import serializers

from kb.api.serializers.base import Shape
from kb.core.setups.known_faults import Severity
from kb.models import AffectedRange

SEVERITIES = [severity.name.lower() for severity in Severity]


class BoundSerializer(Shape):
    """A version at which a fault begins or ends."""

    version = serializers.CharField(help_text="The version, normalised by PEP 440.")
    by = serializers.ChoiceField(
        choices=AffectedRange.Certainty.choices, allow_blank=True, help_text="What it rests on; empty: not stated."
    )
    evidence = serializers.URLField(allow_null=True, help_text="Where it can be seen.")


class UpgradeFaultSerializer(Shape):
    """A fault that an upgrade fixes, brings or leaves open."""

    issue = serializers.URLField(help_text="The original issue's address.")
    page = serializers.URLField(help_text="Our page about it.")
    name = serializers.CharField(help_text="Short name.")
    title = serializers.CharField(help_text="Our own title, else the host's.")
    symptom = serializers.CharField(allow_null=True, help_text="Code of its symptom's family; null: not labelled.")
    severity = serializers.ChoiceField(choices=SEVERITIES, help_text="By its symptom, the worst first.")
    is_certain = serializers.BooleanField(
        help_text="Is all of this known? Otherwise a bound of its range is not, or is only a bound."
    )
    condition = serializers.CharField(
        allow_null=True, help_text="What must be true of a set-up besides; `any`: nothing; null: not known."
    )
    introduced = BoundSerializer(allow_null=True, help_text="Where it begins, or was first reported.")
    fixed = BoundSerializer(allow_null=True, help_text="The first version without it.")
    last_affected = BoundSerializer(allow_null=True, help_text="The last version known to have it.")


class UpgradeFixSerializer(Shape):
    """A fix that the repository's history has."""

    url = serializers.URLField(help_text="The pull request or commit.")
    commit = serializers.CharField(help_text="Hash of the commit.")
    title = serializers.CharField(
        allow_null=True, help_text="First line of the commit's message: the project's own words; null where not read."
    )
    description = serializers.CharField(
        allow_null=True, help_text="What it changes, in our words; null: not described."
    )
    merged_at = serializers.DateTimeField(help_text="When it was merged (UTC).")
    first_release = serializers.CharField(allow_null=True, help_text="The first release in between that has it.")
    reverted_by = serializers.CharField(allow_null=True, help_text="The commit that reverted it.")
    issues = serializers.ListField(child=serializers.URLField(), help_text="Our pages about issues that it closes.")


class SymptomCountSerializer(Shape):
    """A family of symptoms with its faults."""

    code = serializers.CharField(allow_blank=True, help_text="Code; empty: not labelled.")
    name = serializers.CharField(allow_blank=True, help_text="Name.")
    fixed = serializers.IntegerField(help_text="Faults fixed.")
    new = serializers.IntegerField(help_text="Faults first seen.")
    open = serializers.IntegerField(help_text="Faults still open.")
    maybe = serializers.IntegerField(help_text="Faults that may be open.")


class HistorySerializer(Shape):
    """How far a git history was read."""

    repository = serializers.URLField(help_text="The repository.")
    read_at = serializers.DateTimeField(help_text="When it was read last.")
    newest_on = serializers.DateField(allow_null=True, help_text="Day of the newest commit.")
    commits = serializers.IntegerField(help_text="Number of commits.")
    has_every_change = serializers.BooleanField(
        help_text="Did this site read the repository itself? Otherwise it knows the linked fixes only."
    )


class UpgradeSerializer(Shape):
    """What changes between two versions of a package."""

    package = serializers.CharField(help_text="Its name on PyPI, or owner/name.")
    from_version = serializers.CharField(help_text="The lower version.")
    to_version = serializers.CharField(help_text="The higher version.")
    page = serializers.URLField(help_text="Our page with it.")
    history = HistorySerializer(allow_null=True, help_text="How far the history was read; null: only records speak.")
    unknown_versions = serializers.ListField(
        child=serializers.CharField(), help_text="Versions that are no release we know: placed by their number."
    )
    symptoms = SymptomCountSerializer(many=True, help_text="The faults by symptom, the worst first.")
    fixed = UpgradeFaultSerializer(many=True, help_text="Faults fixed on the way.")
    first_seen = UpgradeFaultSerializer(many=True, help_text="Faults introduced or first reported on the way.")
    open = UpgradeFaultSerializer(many=True, help_text="Faults that the higher version certainly still has.")
    may_be_open = UpgradeFaultSerializer(
        many=True, help_text="Faults that it may have: since which version they are there is not known."
    )
    passed = serializers.IntegerField(help_text="Faults introduced and fixed on the way: neither version has them.")
    excluded = serializers.IntegerField(help_text="Faults excluded because the set-up does not meet their condition.")
    lost_fixes = UpgradeFixSerializer(many=True, help_text="Fixes that the higher version no longer has.")
    fix_count = serializers.IntegerField(help_text="Number of all fixes in the history.")
    fixes = UpgradeFixSerializer(many=True, help_text="One page of them, described here or not.")
