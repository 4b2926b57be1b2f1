"""What the server's tools answer: each asks one search, selector or service. How answers are shaped is in `rows`."""

from collections.abc import Container

from django.http import QueryDict
from django.urls import reverse

from kb.charts.cards import given
from kb.charts.evidence import gather
from kb.charts.given import Cause
from kb.check.answer import check
from kb.core.check.texts import NotCheckedError
from kb.core.diagnosis.reading.intake import MIB, UnreadableInputError
from kb.core.tools import answers, arguments
from kb.core.tools.catalogue import ToolProblemError
from kb.core.tools.fault_rows import EXAMPLES, MOST_CAUSES, MOST_CAUSES_OF_MORE, cause_row, fault_row, id_of
from kb.core.tools.log_rows import log_answer, setup_answer
from kb.diagnose.immediate import Waiting, answer_at_once
from kb.diagnose.shares import ShareTakenError, place_of
from kb.diagnose.uploads import text_upload
from kb.http import rates
from kb.mcp import rows
from kb.models import Framework, Issue, Node
from kb.search import Sort, find_reference, parse, search
from kb.selectors.issues import for_detail

AT_ONCE = Waiting(sent=5 * MIB, text=5 * MIB)
UNKNOWN_ID = "Nothing is known under this id. Find ids with search_faults, or give an issue's whole web address."
TOO_LONG = "Reading this log took too long. Give its last part, from the first error on."


class ServerTools:
    """The tools for one visitor. `site`: the address of this site without a slash."""

    def __init__(self, *, visitor: str, site: str) -> None:
        self._visitor = visitor
        self._site = site

    def search_faults(self, asked: arguments.SearchFaults) -> answers.SearchAnswer:
        """The same order as on the search page."""
        self._count("search")
        start = int(asked.cursor or 0)
        found = search(self._params(asked, q=asked.query), offset=start, limit=asked.limit, with_facets=False)
        if found.errors:
            raise ToolProblemError(_unknown_names(found.errors))
        following = start + len(found.rows)
        more_there = found.sort is Sort.RELEVANCE and following < found.total and bool(found.rows)
        return answers.SearchAnswer(
            is_close=found.is_close,
            total=found.total,
            start=start,
            faults=[fault_row(row.card, self._site, more=asked.more) for row in found.rows],
            next_cursor=str(following) if more_there and following < 10_000 else "",
        )

    def get_fault(self, asked: arguments.GetFault) -> answers.FaultAnswer:
        """By whatever names the issue."""
        key = _named(asked.id)
        issue = for_detail().filter(pk=key).first() if key is not None else None
        if issue is None:
            raise ToolProblemError(UNKNOWN_ID)
        return rows.fault_answer(issue, self._site)

    def diagnose_log(self, asked: arguments.DiagnoseLog) -> answers.LogAnswer:
        """Read while the agent waits, or not at all."""
        self._count("diagnosis")
        try:
            with place_of(self._visitor):
                data = answer_at_once(files=[text_upload(asked.text, "log")], waiting=AT_ONCE)
        except UnreadableInputError as error:
            raise ToolProblemError("There is no readable line in it. Give the log itself, as text.") from error
        except ShareTakenError as error:
            raise ToolProblemError(f"Your last logs are still read. Try again in {error.retry_after} s.") from error
        if data is None:
            raise ToolProblemError(TOO_LONG)
        return log_answer(data, self._site, more=asked.more)

    def check_setup(self, asked: arguments.CheckSetup) -> answers.SetupAnswer:
        """Against every known fault with versions or conditions."""
        self._count("diagnosis")
        try:
            data = check([("set-up", asked.text)])
        except NotCheckedError as error:
            raise ToolProblemError(str(error)) from error
        return setup_answer(data, self._site, more=asked.more)

    def likely_causes(self, asked: arguments.LikelyCauses) -> answers.CausesAnswer:
        """As on the page of the symptom."""
        self._count("search")
        params = self._params(asked)
        evidence = gather(params)
        result = given(evidence, 2)
        if result is None:
            raise ToolProblemError(_unknown_names(evidence.errors))
        most = MOST_CAUSES_OF_MORE if asked.more else MOST_CAUSES
        shown = [self._cause(cause) for cause in result.causes[:most]]
        return answers.CausesAnswer(
            symptom=result.symptoms.names,
            framework=asked.framework or "",
            page=f"{self._site}{reverse('given')}?{params.urlencode()}",
            issues=result.counted.all_issues,
            with_known_cause=result.counted.issues,
            sources=[f"{name}: {count} issues" for name, count in result.sources],
            causes=shown,
            left_out="Rarer causes than these: more=true." if len(result.causes) > most else "",
        )

    def record_ids(self, start: str, most: int) -> list[str]:
        """Public ids, in their order."""
        ids = Issue.objects.exclude(public_id="").filter(public_id__istartswith=start)
        return list(ids.order_by("public_id").values_list("public_id", flat=True)[:most])

    @staticmethod
    def _cause(cause: Cause) -> answers.Cause:
        issues = Issue.objects.filter(pk__in=cause.examples[:EXAMPLES]).select_related("repository")
        return cause_row(
            cause.heading.code,
            cause.heading.name,
            cause.share.issues,
            cause.share.of,
            fixed_by=[fix.heading.name for fix in cause.fixes],
            examples=[id_of(issue.url, issue.get_absolute_url()) for issue in issues.defer("body", "search_vector")],
        )

    @staticmethod
    def _params(asked: arguments.SearchFaults | arguments.LikelyCauses, q: str = "") -> QueryDict:
        params = QueryDict(mutable=True)
        for name, value in (("q", q), ("framework", asked.framework), ("symptom", asked.symptom)):
            if value:
                params[name] = value
        return params

    def _count(self, what: str) -> None:
        """Count the call under the API's rate of what it costs. Raises `ToolProblemError` beyond it."""
        rate = rates.rate_of(what)
        if rate is None:
            return
        counted = rates.count(self._visitor, {what: rate})[0]
        if not counted.is_allowed:
            raise ToolProblemError(f"Too many requests of this kind. Try again in {counted.wait} s.")


def _unknown_names(errors: Container[str]) -> str:
    """Which name is not known, and all that are. The wrong one is not repeated."""
    if "framework" in errors:
        slugs = Framework.objects.order_by("slug").values_list("slug", flat=True)
        return f"This framework is not known. Leave it out, or name one of: {', '.join(slugs)}."
    if "symptom" in errors:
        symptoms = Node.objects.house().filter(axis__code="symptom", status=Node.Status.ACTIVE).order_by("position")
        return f"This symptom is not known. Name one of: {', '.join(symptoms.values_list('code', flat=True))}."
    return "These words cannot be searched: quotes or filters in them are not closed. Give plain words."


def _named(text: str) -> int | None:
    """The key of the issue that the text names."""
    if text.isascii() and text.isdigit():
        return int(text) if len(text) < 10 else None
    reference = parse(text).reference
    issue = find_reference(reference) if reference else None
    return issue.pk if issue else None
