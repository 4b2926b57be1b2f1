"""Frameworks and the repositories where their issues live."""

from rest_framework import serializers

from kb.api.serializers.base import Shape, Stated
from kb.models import Host


class AliasSerializer(Shape):
    """An old name of a renamed or moved repository."""

    host = serializers.ChoiceField(choices=Host.choices, help_text="Host of the old name.")
    full_name = serializers.CharField(help_text="Old owner and name.")


class RepositoryRefSerializer(Shape):
    """A repository, in short."""

    id = serializers.IntegerField(help_text="Id of the repository.")
    host = serializers.ChoiceField(choices=Host.choices, help_text="Its host.")
    full_name = serializers.CharField(help_text="Owner and name.")


class RepositorySerializer(RepositoryRefSerializer):
    """Where issues of a framework live."""

    url = serializers.URLField(help_text="Its address on the host.")
    aliases = AliasSerializer(many=True, help_text="Former names.")
    framework = serializers.CharField(source="framework.slug", help_text="Slug of its framework.")
    issues = serializers.IntegerField(source="issue_count", help_text="Its issues here, excluding pull requests.")


class FrameworkSerializer(Shape):
    """A product that people report faults of."""

    slug = serializers.CharField(help_text="Slug.")
    name = serializers.CharField(help_text="Name.")
    homepage = Stated(help_text="Its home page.")
    description = Stated(help_text="What it is.")
    repositories = RepositoryRefSerializer(many=True, help_text="Repositories where its issues live.")
    issues = serializers.IntegerField(source="issue_count", help_text="Its issues here, excluding pull requests.")
