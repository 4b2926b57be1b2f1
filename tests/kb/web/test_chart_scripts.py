"""The charts' scripts under a strict content policy, and the chart of a real published data set."""

import io
import re
from pathlib import Path

import plotly  # type: ignore[import-untyped]
import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from kb.charts.heat_map import SHADES
from tests.kb.web.test_charts import found_by, page

pytestmark = pytest.mark.django_db
OPEN_LLM_FAILURES = Path(__file__).parents[4] / "shared/data/open-llm-failures/open_llm_failures.csv"


class TestScripts:
    """The content policy allows no style element: Plotly must find what keeps it from writing one."""

    @pytest.mark.usefixtures("starter")
    def test_come_from_us_and_wait_for_the_page(self, client: Client) -> None:
        html = page(client, "symptom-cause").content.decode()
        scripts = re.findall(r"<script(?![^>]*application/json)[^>]*>", html.split("<main")[1])
        assert scripts
        assert all(re.search(r'defer src="/static/', script) for script in scripts)
        assert 'style="' not in html

    @pytest.mark.usefixtures("starter")
    def test_plotly_is_loaded_on_this_page_only(self, client: Client) -> None:
        assert "plotly.min.js" in page(client, "symptom-cause").content.decode()
        for path in ("/", "/codebook/", "/codebook/house/symptom/hang", "/playbooks/", "/studies/"):
            assert "plotly.min.js" not in client.get(path).content.decode()

    @pytest.mark.usefixtures("starter")
    def test_the_ids_that_plotly_looks_for_are_there(self, client: Client) -> None:
        bundle = (Path(plotly.__file__).parent / "package_data/plotly.min.js").read_text()
        wanted = set(re.findall(r'getElementById\("([0-9a-f]{64})"\)', bundle))
        assert wanted
        assert ".no-inline-styles" in bundle
        html = page(client, "symptom-cause").content.decode()
        assert all(f'id="{name}"' in html for name in wanted)
        assert re.search(r'id="plotly.js-style-global"\s+class="no-inline-styles"', html)

    def test_the_style_sheet_has_every_shade(self) -> None:
        sheet = (settings.BASE_DIR / "static/css/chart.css").read_text()
        for way in ("up", "down"):
            for step in range(1, SHADES + 1):
                assert f".heat-{way}-{step} " in sheet


@pytest.fixture
def open_llm_failures(codebook: None) -> None:
    """The published set, imported."""
    call_command("import_study", "open-llm-failures", str(OPEN_LLM_FAILURES), stdout=io.StringIO())


@pytest.mark.real_data
@pytest.mark.skipif(not OPEN_LLM_FAILURES.exists(), reason="needs ../shared/data")
@pytest.mark.usefixtures("open_llm_failures")
class TestOpenLlmFailures:
    """Study P6.1, the one complete public symptom × cause data set."""

    @pytest.mark.parametrize("level", [1, 2])
    def test_every_cell_opens_as_many_issues_as_it_says(self, client: Client, level: int) -> None:
        records = page(client, "symptom-cause", f"?source=open-llm-failures&level={level}").context["drawn"].records
        assert len(records) > 30
        for record in records:
            assert found_by(record["query"]) == record["issues"], record

    def test_has_the_studys_five_symptoms_and_nine_causes(self, client: Client) -> None:
        table = page(client, "symptom-cause", "?source=open-llm-failures").context["drawn"].table
        assert (len(table.rows), len(table.columns)) == (5, 9)
