"""Who does which task: diagnoses have workers of their own, and every queue has one, however Faultbook is run."""

import re
from pathlib import Path

import pytest
import yaml

from config.celery import app
from config.embedded.up import processes

pytestmark = pytest.mark.drill("A packed log costs in proportion to its bytes, one address has its share")

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
QUEUES = re.compile(r"(?:--queues|-Q)\s+(\S+)")
NAMES = re.compile(r"(?:--hostname|-n)\s+(\S+)")
COMMANDS = {
    "make up": [" ".join(command) for command in processes(0).values()],
    "compose.yaml": [str(service.get("command", "")) for service in COMPOSE["services"].values()],
    "deploy/systemd": [path.read_text() for path in (ROOT / "deploy/systemd").glob("*.service")],
    "deploy/kubernetes": [
        " ".join(container.get("command", ()))
        for document in yaml.safe_load_all((ROOT / "deploy/kubernetes/workers.yaml").read_text())
        for container in document["spec"]["template"]["spec"]["containers"]
    ],
}


def queue_of(task: str) -> str:
    return str(app.amqp.router.route({}, task)["queue"].name)


def test_diagnoses_alone_have_a_queue_of_their_own() -> None:
    app.loader.import_default_modules()
    ours = [name for name in app.tasks if not name.startswith("celery.")]
    assert {name for name in ours if queue_of(name) == "diagnoses"} == {"kb.tasks.diagnose"}
    assert {queue_of(name) for name in ours} == {"celery", "diagnoses"}


@pytest.mark.parametrize("where", COMMANDS)
def test_each_queue_has_a_worker_of_its_own_name_with_bounded_concurrency(where: str) -> None:
    workers = [command for command in COMMANDS[where] if "config.celery worker" in command and "--conc" in command]
    assert sorted(QUEUES.findall(" ".join(workers))) == ["celery", "diagnoses"]
    names = [NAMES.findall(command) or ["celery@%h"] for command in workers]
    assert len({*map(tuple, names)}) == len(workers)
    assert all("--concurrency" in command for command in workers)
