"""Who visits: kinds of visitors for locust, and when how many of them come. Run by the peers' own Python.

Addresses are read from the site's sitemap. Of ten readers of issue pages, seven want one of a hundred issues; of ten
searches, three are asked by nobody else. The others' addresses come up as often as each other.
"""

import hashlib
import hmac
import json
import logging
import os
import random
import re
import urllib.request
from pathlib import Path
from typing import Any, ClassVar

import gevent
from locust import FastHttpUser, LoadTestShape, events, task

from tests.perf.load.phases import Phases

TEXTS = Path(__file__).parent.parent
LINES = (TEXTS / "search_questions.txt").read_text(encoding="utf-8").splitlines()
QUESTIONS = [words for words in (line.partition("|")[0].strip() for line in LINES if line[:1] != "#") if words]
LOG = "\n".join(f"[rank{rank}]: step {rank}: loss {rank / 7:.3f}" for rank in range(200))
FAULT = "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has 79.1 GiB in total."
BALLOT = {"choices": {"symptom": {"codes": ["hang"]}, "issue_type": {"codes": ["bug"]}}, "confidence": 3}
SITE = json.loads(os.environ.get("LOAD_SITE", "{}"))
THINK_SECONDS, BURST, BURST_EVERY, TICK = 5.0, 200, 10.0, 0.2
PHASES = Phases(users=int(os.environ["USERS"]), seconds=float(os.environ["DURATION"]))
CHANCE = random.Random(38)  # noqa: S311
ADDRESSES: dict[str, list[str]] = {}


class Visitor(FastHttpUser):
    """Asks as fast as the phase says, from an address of its own where the site believes its proxy."""

    abstract = True
    kind: ClassVar[str]
    connection_timeout = network_timeout = 60.0
    came = 0

    def on_start(self) -> None:
        """Take an address."""
        Visitor.came += 1
        self.headers = {"Accept-Encoding": "gzip", "X-Forwarded-For": f"10.0.{Visitor.came >> 8}.{Visitor.came & 255}"}

    def wait_time(self) -> float:
        """Wait here until the phase says to ask again, since it may change meanwhile."""
        while not PHASES.asks_now(TICK):
            gevent.sleep(TICK)
        return 0.0

    def ask(self, name: str, path: str, method: str = "GET", **more: Any) -> Any:
        """One request: what is counted, and the answer's JSON where it has some."""
        more["headers"] = {**self.headers, **more.get("headers", {})}
        with self.client.request(method, path, name=f"{self.kind}: {name}", catch_response=True, **more) as answer:
            # A conflict is an answer to two who vote at once.
            if answer.status_code in (304, 409):
                answer.success()
            return answer


class Practitioner(Visitor):
    """Reads pages."""

    kind, weight = "practitioner", 8

    @task(35)
    def search(self) -> None:
        """Words, in three of ten searches such as nobody else asks for."""
        words = CHANCE.choice(QUESTIONS)
        if CHANCE.random() < 0.3:
            words = " ".join(CHANCE.choices([*words.split(), *CHANCE.choice(QUESTIONS).split()], k=3))
        self.ask("search", f"/issues/?q={words.replace(' ', '+')}")

    @task(37)
    def issue(self) -> None:
        """One of a hundred, or of all."""
        places = ADDRESSES["issues"]
        self.ask("issue", CHANCE.choice(places[:100] if CHANCE.random() < 0.7 else places))

    @task(8)
    def home(self) -> None:
        """The first page."""
        self.ask("home", "/")

    @task(8)
    def playbook(self) -> None:
        """A playbook."""
        self.ask("playbook", CHANCE.choice(ADDRESSES["playbooks"]))

    @task(5)
    def node(self) -> None:
        """A category."""
        self.ask("node", CHANCE.choice(ADDRESSES["codebook"]))

    @task(3)
    def chart(self) -> None:
        """A chart, or the overview of all."""
        self.ask("chart", CHANCE.choice(ADDRESSES["explore"]))

    @task(4)
    def diagnose(self) -> None:
        """A small log, each another one."""
        log = f"{LOG}\n{FAULT}\n[rank0]: run {CHANCE.random()}\n"
        self.ask("diagnose", "/api/v1/diagnose", "POST", data=log, headers={"Content-Type": "text/plain"})


class Bot(Visitor):
    """Reads the API."""

    kind, weight = "API bot", 2

    @task(4)
    def search(self) -> None:
        """The best matches."""
        self.ask("search", f"/api/v1/search/?q={CHANCE.choice(QUESTIONS).replace(' ', '+')}")

    @task(3)
    def issues(self) -> None:
        """README's own example."""
        self.ask("issues", f"/api/v1/issues/?q={CHANCE.choice(QUESTIONS).replace(' ', '+')}&page_size=20")

    @task(2)
    def similar(self) -> None:
        """Reports like a new one."""
        asked = {"title": CHANCE.choice(QUESTIONS), "body": FAULT}
        self.ask("similar", "/api/v1/search/similar/", "POST", json=asked)

    @task(1)
    def changes(self) -> None:
        """What changed since."""
        self.ask("changes", "/api/v1/changes/")


class Annotator(Visitor):
    """Logged in; labels one issue after another, with a thought for each."""

    kind = "annotator"
    fixed_count = len(SITE.get("sessions", ()))

    def on_start(self) -> None:
        """Take a session."""
        super().on_start()
        token = "a" * 32
        cookie = f"sessionid={SITE['sessions'].pop()}; csrftoken={token}"
        self.headers |= {"Cookie": cookie, "X-CSRFToken": token}

    def wait_time(self) -> float:
        """Thought."""
        return THINK_SECONDS * CHANCE.uniform(0.5, 1.5)

    @task
    def label(self) -> None:
        """The next issue, a draft, the vote."""
        answer = self.ask("next issue", f"{SITE['round']}next/", "POST")
        if answer.status_code in (200, 201):
            here = f"{SITE['round']}issues/{answer.json()['item']['position']}/"
            draft = {"content": BALLOT, "revision": 0, "active_seconds": 1}
            self.ask("draft", f"{here}draft/", "PUT", json=draft)
            self.ask("vote", f"{here}vote/", "POST", json=BALLOT)


class Webhook(Visitor):
    """A host that tells of many changes at once, again and again."""

    kind = "webhook"
    fixed_count = 1 if "secret" in SITE else 0

    def wait_time(self) -> float:
        """Quiet between bursts."""
        return BURST_EVERY

    @task
    def burst(self) -> None:
        """As many deliveries as one connection takes, one after another."""
        for number in range(BURST):
            issue = {"number": number + 1, "body": "x" * 12_000}
            body = json.dumps({"action": "edited", "issue": issue, "repository": {"full_name": "octo/engine"}}).encode()
            signature = hmac.new(SITE["secret"].encode(), body, hashlib.sha256).hexdigest()
            headers = {
                "Content-Type": "application/json", "X-GitHub-Event": "issues",
                "X-GitHub-Delivery": f"load-{CHANCE.getrandbits(64)}", "X-Hub-Signature-256": f"sha256={signature}",
            }  # fmt: skip
            self.ask("delivery", "/ingest/github/webhook", "POST", data=body, headers=headers)


class Shape(LoadTestShape):
    """The phases, as locust asks for them."""

    def tick(self) -> tuple[int, float, list[type[Visitor]]] | None:
        """How many visitors now, and how fast they come."""
        now, beside = PHASES.users_now(), [one for one in (Annotator, Webhook) if one.fixed_count]
        return (now + sum(one.fixed_count for one in beside), 500.0, [Practitioner, Bot, *beside]) if now else None


@events.test_start.add_listener
def read_addresses(environment: Any, **_: object) -> None:
    """From the sitemap, by the first part of their paths."""
    logging.getLogger("locust.stats_logger").setLevel(logging.WARNING)  # `tell` has other tables.

    def read(path: str) -> list[str]:
        with urllib.request.urlopen(environment.host + path, timeout=60) as answer:  # noqa: S310 the site's own
            return [
                re.sub(r"^https?://[^/]+", "", one) for one in re.findall("<loc>(.*?)</loc>", answer.read().decode())
            ]

    for part in read("/sitemap.xml"):
        for path in read(part):
            if path.count("/") > 1 + path.endswith("/"):
                ADDRESSES.setdefault(path.split("/")[1], []).append(path.replace("&amp;", "&"))
    for places in ADDRESSES.values():
        CHANCE.shuffle(places)
    PHASES.begin()


@events.request.add_listener
def note(name: str, response_time: float, response: Any, **_: object) -> None:
    """Every answer."""
    PHASES.note(name, getattr(response, "status_code", 0), response_time / 1_000)


@events.quitting.add_listener
def tell(**_: object) -> None:
    """The tables."""
    print("\n".join(PHASES.table()), flush=True)  # noqa: T201
