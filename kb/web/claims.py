"""What the literature says, and what we see: the claims of all studies, as a page and as CSV."""

from dataclasses import dataclass
from operator import attrgetter
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from kb.charts.claims import Claim, claims, code_of, tally, verdict_names
from kb.codebook.claims import claims_by_study
from kb.exports.claims import claim_records
from kb.models import Study, Trust
from kb.selectors import crosswalks
from kb.web.explore.files import csv_file
from kb.web.parameters import chosen

PER_PAGE = 40


@dataclass(frozen=True)
class Asked:
    """The claims that an address asks for, and those of its study whatever their verdict."""

    studies: tuple[Study, ...]
    study: str
    verdict: str
    of_study: tuple[Claim, ...]

    @property
    def found(self) -> list[Claim]:
        """Those with the verdict; what our data cannot be asked comes last."""
        fitting = [claim for claim in self.of_study if self.verdict in ("", claim.verdict_code)]
        return sorted(fitting, key=attrgetter("is_asked"), reverse=True)

    @property
    def query(self) -> str:
        """The address without its page."""
        given = {"study": self.study, "verdict": self.verdict}
        return urlencode({name: value for name, value in given.items() if value})


@require_safe
def claims_page(request: HttpRequest) -> HttpResponse:
    """`?study=` and `?verdict=` choose among the claims. 400 for one that there is not."""
    asked = _asked(request)
    page = Paginator(asked.found, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "asked": asked,
        "tally": [(name, code_of(name), number) for name, number in tally(asked.of_study)],
        "total": len(asked.of_study),
        "page": page,
        "page_numbers": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "trust_marks": Trust.choices,
        "trail": [("Studies", reverse("studies"))],
    }
    return render(request, "kb/studies/claims.html", context)


@require_safe
def claims_csv(request: HttpRequest) -> HttpResponse:
    """The same claims, all pages of them, a line for each."""
    return csv_file("faultbook-claims.csv", claim_records(_asked(request).found))


def _asked(request: HttpRequest) -> Asked:
    by_study = claims_by_study()
    claiming = [study for study in crosswalks.studies() if study.slug in by_study]
    studies = tuple(sorted(claiming, key=attrgetter("year"), reverse=True))
    named = [(study.slug, str(study)) for study in studies]
    slug = chosen(request.GET, "study", named, noun="study")
    verdicts = [(code_of(name), name) for name in verdict_names()]
    verdict = chosen(request.GET, "verdict", verdicts, noun="verdict")
    return Asked(studies, slug, verdict, claims([study for study in studies if slug in ("", study.slug)]))
