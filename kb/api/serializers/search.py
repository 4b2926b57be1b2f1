"""The shapes of the search's short results, for the documentation; `kb.api.search_rows` makes them."""

from rest_framework import serializers

from kb.api.serializers.base import Shape, SourceKindField, Stated
from kb.models import Kind, Source, State
from kb.starter import example


class ResultNodeSerializer(Shape):
    """A node of the house codebook."""

    code = serializers.CharField(help_text="Code, unique on its axis.")
    name = serializers.CharField(help_text="Name.")
    page = serializers.URLField(help_text="Our page about it.")


class ResultFixSerializer(Shape):
    """What closed the issue."""

    url = serializers.URLField(help_text="The pull request's or commit's address.")
    name = serializers.CharField(help_text="Such as `deepspeedai/DeepSpeed#5008`.")
    lines = serializers.IntegerField(allow_null=True, help_text="Lines added and deleted; null when not known.")
    is_small = serializers.BooleanField(allow_null=True, help_text="At most 10 changed lines; null when not known.")


class ResultSourceSerializer(Shape):
    """Who holds labels on the issue."""

    slug = serializers.CharField(help_text="Slug of the source.")
    name = serializers.CharField(help_text="Name.")
    kind = SourceKindField()
    study = serializers.CharField(allow_null=True, help_text="Short code of the study; null when it is none.")
    confidence = serializers.ChoiceField(
        choices=Source.Confidence.choices, help_text="How far labels of this source can be trusted."
    )


class PassagePieceSerializer(Shape):
    """A part of a passage."""

    text = serializers.CharField(help_text="The text, to be joined with its neighbours as it is.")
    is_hit = serializers.BooleanField(help_text="Is it one of the search words?")


class AlikeSerializer(Shape):
    """A word that was looked for, and what stands in its place."""

    wanted = serializers.CharField(help_text="The search.")
    there = serializers.CharField(help_text="The text there.")


class WhySerializer(Shape):
    """Where the search words occur."""

    title = serializers.ListField(child=serializers.CharField(), help_text="Words in the title.")
    elsewhere = serializers.ListField(child=serializers.CharField(), help_text="Words near the beginning.")
    alike = AlikeSerializer(many=True, help_text="Words found by a synonym.")


class ResultAnswerSerializer(Shape):
    """A record that answers another report besides its own."""

    page = serializers.URLField(help_text="Our page about it.")
    name = serializers.CharField(help_text=f"Such as `{example.NAME}`.")
    title = serializers.CharField(help_text="Title.")
    fix_line = serializers.CharField(allow_null=True, help_text="What to do now; null when not stated.")


class ResultSerializer(Shape):
    """An issue at a glance, and why it was found."""

    id = serializers.IntegerField(help_text="Id of the issue in this database; never changes.")
    public_id = Stated(help_text="Such as `FB-000860`, the same on every server; null where nobody described it.")
    url = serializers.URLField(help_text="The original issue's address.")
    page = serializers.URLField(help_text="Our page about it.")
    name = serializers.CharField(help_text=f"Such as `{example.NAME}`.")
    title = serializers.CharField(help_text="Our own title, else the host's.")
    framework = serializers.CharField(help_text="Slug of its framework.")
    framework_name = serializers.CharField(help_text="Name of the framework.")
    repository = serializers.CharField(help_text="Owner and name of the repository.")
    kind = serializers.ChoiceField(choices=Kind.choices, help_text="Whether it is known to be an issue.")
    state = serializers.ChoiceField(choices=State.choices, help_text="Open or closed on its host.")
    opened_at = serializers.DateTimeField(allow_null=True, help_text="When it was opened (UTC).")
    closed_at = serializers.DateTimeField(allow_null=True, help_text="When it was closed (UTC).")
    comments = serializers.IntegerField(allow_null=True, help_text="Comments on its host; null when not known.")
    curated = serializers.BooleanField(help_text="Does Faultbook describe it?")
    resolved = serializers.BooleanField(help_text="Does Faultbook state its fix?")
    start = serializers.CharField(allow_null=True, help_text="How our summary, or else the report, begins.")
    fix_line = serializers.CharField(allow_null=True, help_text="What to do now; null when not stated.")
    certainty = Stated(
        help_text="`confirmed`, `likely` or `unsettled`: cause and fix as a whole; null when not stated."
    )
    answered_by = ResultAnswerSerializer(allow_null=True, help_text="The record that answers this report; mostly null.")
    symptoms = ResultNodeSerializer(many=True, help_text="What a person sees.")
    causes = ResultNodeSerializer(many=True, help_text="Root causes.")
    patterns = ResultNodeSerializer(many=True, help_text="Fix patterns.")
    suggested = ResultNodeSerializer(many=True, help_text="Symptoms that rules suggest where nobody has named any.")
    fix = ResultFixSerializer(allow_null=True, help_text="One fix; null when none is known.")
    more_fixes = serializers.IntegerField(min_value=0, help_text="How many more fixes are known.")
    sources = ResultSourceSerializer(many=True, help_text="Who holds labels on it.")
    passage = PassagePieceSerializer(many=True, help_text="The passage with most of the words; empty without one.")
    score = serializers.FloatField(
        allow_null=True, help_text="What its place rests on, for one search only; null where the order has no scores."
    )
    measures = serializers.DictField(
        child=serializers.FloatField(), help_text="What went into the score, each about 0 to 1 but for `engine`."
    )
    why = WhySerializer(help_text="Where the search words occur.")


class CompletionSerializer(Shape):
    """One way to go on."""

    insert = serializers.CharField(help_text="Replaces the text from `start` to `end`.")
    start = serializers.IntegerField(min_value=0, help_text="Where it begins, in characters (code points).")
    end = serializers.IntegerField(min_value=0, help_text="Where it ends.")
    name = serializers.CharField(help_text="Display text.")
    note = serializers.CharField(allow_null=True, help_text="A short note; null when there is none.")


class CompletionsSerializer(Shape):
    """What the box can offer."""

    completions = CompletionSerializer(many=True, help_text="At most ten, best first.")
