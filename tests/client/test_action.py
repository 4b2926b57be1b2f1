"""The GitHub Action: its steps run in a clean folder as the runner runs them, with this checkout's client."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from faultbook import __version__
from faultbook.in_ci import annotations, as_markdown

from config.embedded.layout import ROOT
from tests.client.test_server import example
from tests.docs.markdown import Page
from tests.kb.check.faults import FREEZE
from tests.kb.diagnose.runs import FAILED, steps

pytestmark = pytest.mark.django_db
ACTION = yaml.safe_load((ROOT / "client" / "action" / "action.yml").read_text())
EXPRESSION = re.compile(r"\$\{\{ (\S+) \}\}")
# As the runner calls it.
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
# A data file stands beside the package, as in a wheel.
CLIENT = """#!{python}
import sys
from pathlib import Path
sys.path[:0] = [{client!r}, {root!r}]
from faultbook import data
data.SHIPPED = Path({file!r})
from faultbook.__main__ import main
sys.exit(main())
"""


@dataclass
class Ran:
    """How it ended, what its steps printed, and the files that the runner reads."""

    code: int
    out: str
    summary: str
    outputs: Mapping[str, str]


class Runner:
    """A clean folder, and a client on the PATH."""

    def __init__(self, place: Path, data_file: Path) -> None:
        self.folder, self._files = place / "workspace", place / "runner"
        programs = place / "bin"
        for folder in (self.folder, self._files, programs):
            folder.mkdir()
        values = {"python": sys.executable, "client": str(ROOT / "client"), "root": str(ROOT), "file": str(data_file)}
        (programs / "faultbook").write_text(CLIENT.format(**values))
        (programs / "faultbook").chmod(0o755)
        self._environment = {
            "PATH": f"{programs}:/usr/bin:/bin",
            "XDG_CACHE_HOME": str(data_file.parent / "cache"),
            "FAULTBOOK_DATA": str(place / "none"),
            **{f"GITHUB_{name}": str(self._files / name) for name in ("STEP_SUMMARY", "OUTPUT", "PATH")},
            **{name: os.environ[name] for name in ("LANG", "LC_ALL") if name in os.environ},
        }

    def run(self, **inputs: str) -> Ran:
        """Run the action's steps until one fails."""
        values = {f"inputs.{name}": str(given["default"]) for name, given in ACTION["inputs"].items()}
        values |= {"inputs.version": "installed"}
        values |= {f"inputs.{name.replace('_', '-')}": text for name, text in inputs.items()}
        out, code = "", 0
        for step in ACTION["runs"]["steps"]:
            (self._files / "OUTPUT").write_text("")
            env = {name: self._filled(text, values) for name, text in step["env"].items()}
            done = self.bash(step["run"], env)
            out, code = out + done.stdout + done.stderr, done.returncode
            values |= {f"steps.{step.get('id')}.outputs.{name}": text for name, text in self._pairs()}
            if code:
                break
        outputs = {name: self._filled(given["value"], values) for name, given in ACTION["outputs"].items()}
        return Ran(code, out, self.summary, outputs)

    def bash(self, script: str, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run a step."""
        return subprocess.run(
            [*BASH, script],
            cwd=self.folder,
            env={**self._environment, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def summary(self) -> str:
        """The job's summary."""
        file = self._files / "STEP_SUMMARY"
        return file.read_text() if file.exists() else ""

    def _pairs(self) -> Iterator[tuple[str, str]]:
        for line in (self._files / "OUTPUT").read_text().splitlines():
            name, _, text = line.partition("=")
            yield name, text

    @staticmethod
    def _filled(text: str, values: Mapping[str, str]) -> str:
        return EXPRESSION.sub(lambda found: values.get(found[1], ""), text)


@pytest.fixture
def runner(data_file: Path, tmp_path: Path) -> Runner:
    return Runner(tmp_path, data_file)


def test_a_failing_log_is_diagnosed_in_the_summary(runner: Runner) -> None:
    (runner.folder / "logs" / "a b").mkdir(parents=True)
    hostile = "::add-mask::x\nRuntimeError: ```` @everyone"
    (runner.folder / "logs" / "a b" / "job.log").write_text(f"{FAILED}{hostile}\n")
    ran = runner.run(log="logs/**/*.log", annotations="true")
    assert (ran.code, ran.outputs["diagnosis"], ran.outputs["check"]) == (0, "1", "")
    assert ran.summary.startswith("### The run failed\n\n")
    # The block that quotes the log is not ended by it.
    assert (ran.summary.count("`````"), ran.summary.count("````")) == (2, 3)
    (annotation, *_) = [line for line in ran.out.splitlines() if line.startswith("::error")]
    assert annotation.startswith("::error file=logs/a b/job.log,line=6,title=The run failed::")
    assert "CUDA out of memory" in annotation
    assert not [line for line in ran.out.splitlines() if line.strip().startswith("::add-mask")]
    assert runner.run(log="logs", fail_on="failure").code == 1


def test_a_healthy_log_passes_whatever_makes_it_fail(runner: Runner) -> None:
    (runner.folder / "job.log").write_text(f"{steps(3000)}training finished")
    ran = runner.run(log="job.log", fail_on="either")
    assert (ran.code, ran.outputs["diagnosis"]) == (0, "0")
    assert ran.summary.startswith("### No failure found")
    assert "::error" not in ran.out


@pytest.mark.parametrize(
    ("log", "says"), [("gone.log", "gone.log can't be read"), ("*.log", "No file is named like the input log")]
)
def test_a_missing_file_fails_and_says_so(log: str, says: str, runner: Runner) -> None:
    ran = runner.run(log=log)
    assert (ran.code, ran.summary) == (1, "")
    assert says in ran.out


def test_known_issues_are_links_and_a_strangers_words_have_no_power() -> None:
    found = example("diagnosis")
    address = "https://github.com/deepspeedai/DeepSpeed/issues/4808"
    issue = {"title": "[x](https://evil.example) @everyone", "source_url": address, "url": "", "resolution": ""}
    line = found["lines"][0] | {"file": "a,b:c.log", "text": "first\n::set-env name=x::y 100%", "indicated": True}
    found |= {"issues": [issue], "lines": [line]}
    text = as_markdown(found)
    assert f"]({address})" in text.partition("**Known issues**")[2]
    assert "](https://evil" not in text.partition("```")[0]
    (annotation,) = annotations(found)
    assert annotation.startswith("::error file=a%2Cb%3Ac.log,line=")
    assert annotation.endswith("::first%0A::set-env name=x::y 100%25")


def test_a_set_up_is_checked_into_sarif(runner: Runner) -> None:
    (runner.folder / "requirements.txt").write_text(FREEZE)
    ran = runner.run(setup="requirements.txt", sarif="found.sarif", fail_on="affected")
    assert json.loads((runner.folder / "found.sarif").read_text())["version"] == "2.1.0"
    assert ran.code == int(ran.outputs["check"])
    assert ran.summary == ""


def test_an_unknown_wish_is_refused(runner: Runner) -> None:
    ran = runner.run(fail_on="always")
    assert ran.code == 1
    assert "takes never, failure, affected or either" in ran.out


def test_its_page_names_its_inputs_and_uses_them() -> None:
    page = Page(ROOT / "docs" / "client.md")
    (example,) = (yaml.safe_load(block) for block in page.blocks("yaml"))
    assert example["steps"][1]["with"].keys() <= ACTION["inputs"].keys()
    table = page.text.partition("| input |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE) == list(ACTION["inputs"])


def test_the_workflow_for_new_reports_writes_a_comment_to_the_summary(runner: Runner) -> None:
    (workflow,) = (yaml.safe_load(block) for block in Page(ROOT / "docs" / "maintainers.md").blocks("yaml"))
    install, comment = (step["run"] for step in workflow["jobs"]["triage"]["steps"])
    assert install == f"pip install faultbook=={__version__}"
    event = runner.folder / "event.json"
    event.write_text(json.dumps({"issue": {"title": "It hangs `rm -rf`", "body": "$(touch gone)", "html_url": ""}}))
    done = runner.bash(comment, {"GITHUB_EVENT_PATH": str(event)})
    assert done.returncode == 0, done.stderr
    assert "**Please add**" in runner.summary
    assert [path.name for path in runner.folder.iterdir()] == ["event.json"]


def test_the_pinned_client_is_the_one_beside_it_and_inputs_reach_the_shell_as_variables_only() -> None:
    assert ACTION["inputs"]["version"]["default"] == __version__
    assert [step["name"] for step in ACTION["runs"]["steps"] if "${{" in step["run"] or "uses" in step] == []
