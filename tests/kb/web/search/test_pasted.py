"""An error line or a log in the box: its diagnosis stands above the results, which are those of the failing line."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from kb.core.diagnosis.signals.catalogue import catalogue
from tests.kb.check.faults import FREEZE
from tests.kb.web.reading import Page, read, visit
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node
from tests.support.made_up import BASE62, drawn

pytestmark = pytest.mark.django_db
KNOWN = "Illegal memory access in the fused kernel"
FAILED = "RuntimeError: CUDA error: an illegal memory access was encountered"
LIBRARY = "/opt/venv/lib/python3.11/site-packages/deepspeed/runtime/engine.py"
FRAMES = "".join(f'  File "{LIBRARY}", line {n}, in step_{n}\n    return step_{n + 1}(batch)\n' for n in range(1, 25))
TRACEBACK = f"loading weights\nTraceback (most recent call last):\n{FRAMES}{FAILED}\n"
# As tools print them: each is of another kind, and the catalogue knows what it means.
LINES = {
    "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed.": "",
    "[rank0] RMSNorm failed with error code no kernel image is available for execution on the device": "GPU",
    "ValueError: Must flatten tensors with uniform dtype but got torch.bfloat16 and torch.float32": "",
    "XlaRuntimeError: ABORTED: The TPU is already in use by process with pid 4711.": "TPU",
    "current loss scale already at minimum - cannot decrease scale anymore": "",
    "CUDA out of memory": "memory",
    "Segmentation fault (core dumped)": "memory",
    "OSError: [Errno 28] No space left on device": "",
}


@pytest.fixture
def known(search_index: PutIssuesIn) -> None:
    """An issue with the error, described and fixed, one that shares some words, and others."""
    issue = make_issue(
        1,
        heading=KNOWN,
        recognise=[FAILED],
        resolution="Upgrade to the release that pads the last block.",
    )
    make_label(issue, make_node("crash"))
    make_label(issue, make_node("kernel-defect", axis=make_axis("root_cause"), name="Kernel defect"))
    issue.fixes.add(make_fix(2, additions=3, deletions=1))
    make_issue(3, title="An illegal character in the configuration", body="An error was encountered in line 4.")
    for n in range(10, 30):
        make_issue(n, title=f"Slow start {n}", body="The step loads a batch and returns.")
    search_index()


def send(client: Client, text: str, **params: str) -> Page:
    response = client.post("/issues/", {"q": text, **params})
    assert response.status_code == 200
    return read(response)


@pytest.mark.usefixtures("known")
class TestLogs:
    @pytest.mark.parametrize("method", ["get", "post"])
    def test_verdict_failing_line_cause_steps_and_fix_in_one_step(self, client: Client, method: str) -> None:
        page = read(getattr(client, method)("/issues/", {"q": TRACEBACK}))
        for text in ("The run failed", "pasted.log:51", "Likeliest cause", "What to do now", "Same error"):
            assert text in page.words
        assert FAILED in page.words
        assert "Upgrade to the release that pads the last block." in page.words
        assert "https://github.com/deepspeedai/DeepSpeed/pull/2" in page.links

    def test_the_results_are_those_of_the_failing_line(self, client: Client) -> None:
        page = send(client, TRACEBACK)
        assert page.words.index("Illegal memory access in the fused kernel") < page.words.index("An illegal character")
        assert "Slow start" not in page.words
        assert "Nothing close" not in page.words

    @pytest.mark.parametrize(("line", "is_common"), [(FAILED, True), ("ValueError: chunk 6 of a tree is odd", False)])
    def test_a_line_that_many_faults_end_with_is_searched_for_with_the_innermost_functions(
        self, client: Client, line: str, is_common: bool
    ) -> None:
        frames = "".join(f'  File "{LIBRARY}", line 9, in {name}\n    x()\n' for name in ("gather_weights", "forward"))
        response = client.post("/issues/", {"q": TRACEBACK.replace(FAILED, frames + line)})
        innermost = " gather_weights step_24 step_23 step_22"
        assert response.context["result"].query.words == line + (innermost if is_common else "")

    def test_the_box_keeps_the_whole_text(self, client: Client) -> None:
        assert send(client, TRACEBACK).inputs["q"].strip() == TRACEBACK.strip()

    def test_filters_sort_and_pages_keep_the_diagnosis(self, client: Client) -> None:
        page = send(client, TRACEBACK, change="sort=newest", framework="deepspeed")
        assert "The run failed" in page.words

    def test_a_log_without_a_failure_is_said_to_have_none(self, client: Client) -> None:
        log = "".join(f"2026-03-02 09:15:{n} INFO iteration {n} | loss: 2.{n}\n" for n in range(10, 50))
        page = send(client, log)
        assert "No line of this log names a failure" in page.words
        assert "Slow start" not in page.words

    def test_sentences_of_a_person_are_searched_as_words(self, client: Client) -> None:
        page = send(client, "my run is slow\nit loads a batch\nand starts again")
        assert "pasted.log" not in page.words
        assert "Slow start" in page.words

    def test_a_secret_in_it_comes_back_nowhere(self, client: Client) -> None:
        token = "ghp_" + drawn(BASE62, 36)
        for answer in (
            client.post("/issues/", {"q": f"export GH={token}\n{TRACEBACK}"}),
            client.get("/issues/", {"q": f"RuntimeError: clone https://x:{token}@github.com/a/b failed"}),
        ):
            assert token not in answer.content.decode()

    def test_who_sends_too_many_is_searched_for_all_the_same(self, client: Client, settings: Settings) -> None:
        rates = settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] | {"diagnosis": "1/hour"}
        settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"DEFAULT_THROTTLE_RATES": rates}
        send(client, TRACEBACK)
        page = send(client, TRACEBACK)
        assert "searched, not diagnosed" in page.words
        assert "Illegal memory access" in page.words

    def test_no_cookie_is_set_so_that_browsers_can_go_back_to_it(self, client: Client) -> None:
        response = client.post("/issues/", {"q": TRACEBACK})
        assert not response.cookies
        assert "no-store" not in response.headers.get("Cache-Control", "")
        assert read(response).links["/diagnose/"]

    def test_nobody_is_told_to_paste_what_they_pasted(self, client: Client) -> None:
        for text in (TRACEBACK.replace("illegal", "zyx"), "[rank3]: zyxwv qrstu"):
            page = send(client, text)
            assert "Paste an error or a log instead" not in page.words

    def test_takes_few_statements(self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
        send(client, TRACEBACK)
        with django_assert_max_num_queries(30):
            send(client, TRACEBACK)


class TestLines:
    @pytest.mark.parametrize("line", LINES)
    def test_what_is_known_of_a_line_stands_above_whether_or_not_a_record_exists(
        self, client: Client, line: str
    ) -> None:
        page = visit(client, f"/issues/?q={line.replace('%', '%25').replace('[', '%5B')}")
        signal = next(signal for signal in catalogue().match(line) if signal.means.split(". ")[0][:-1] in page.words)
        assert "What to do now" in page.words or "What to do when a log says so" in page.words
        assert LINES[line] in signal.means

    @pytest.mark.usefixtures("known")
    def test_known_issues_and_results_say_the_same(self, client: Client) -> None:
        page = visit(client, f"/issues/?q={FAILED}")
        assert page.words.count("Illegal memory access in the fused kernel") >= 2
        assert "Nothing close" not in page.words

    @pytest.mark.parametrize("q", ["why does my training hang at step 100?", "hang in ZeRO-3", "symptom:hang"])
    def test_plain_words_get_none(self, client: Client, q: str) -> None:
        make_node("hang")
        assert "What to do" not in visit(client, f"/issues/?q={q}").words

    @pytest.mark.usefixtures("known")
    def test_words_that_are_a_known_line_take_one_statement_more(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        visit(client, "/issues/?q=memory")
        with django_assert_max_num_queries(13):
            visit(client, "/issues/?q=CUDA out of memory")


@pytest.mark.usefixtures("known")
class TestSetups:
    def test_versions_of_packages_lead_to_the_check(self, client: Client) -> None:
        page = send(client, FREEZE)
        assert "Check this set-up" in page.words
        assert page.inputs["text"].split() == FREEZE.split()
        answer = client.post("/check/", {"text": page.inputs["text"]})
        assert "deepspeed" in read(answer).inputs["text"]

    def test_beside_a_failure_both_are_shown(self, client: Client) -> None:
        page = send(client, TRACEBACK + FREEZE)
        assert "The run failed" in page.words
        assert "Check this set-up" in page.words

    @pytest.mark.parametrize("text", [TRACEBACK, "my run is slow\nit loads a batch\nand starts again", "torch==2.6.0"])
    def test_other_texts_do_not(self, client: Client, text: str) -> None:
        assert "Check this set-up" not in send(client, text).words
