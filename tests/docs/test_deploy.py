"""What lies in deploy/: Kubernetes takes the manifests and keeps their pods small; proxies take their examples."""

import re
import shutil
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.utils import canonicalize_name

from config.embedded.layout import ROOT

DEPLOY = ROOT / "deploy"
FILES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
# Three years of releases: the oldest that has what is used here, and the newest that the validator knows.
VERSIONS = ("1.30", "1.37")
PACKAGES_MB = 420


def documents() -> list[dict[str, Any]]:
    return [document for path in FILES for document in yaml.safe_load_all(path.read_text())]


def one(kind: str, name: str = "faultbook") -> dict[str, Any]:
    (found,) = (item for item in documents() if (item["kind"], item.get("metadata", {}).get("name")) == (kind, name))
    return found


def pods() -> dict[str, dict[str, Any]]:
    made = [item for item in documents() if "template" in item.get("spec", ())]
    return {item["metadata"]["name"]: item["spec"]["template"]["spec"] for item in made}


def containers() -> list[dict[str, Any]]:
    return [item for pod in pods().values() for item in (*pod.get("initContainers", ()), *pod["containers"])]


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_takes_the_manifests(version: str) -> None:
    files = [str(path) for path in FILES if path.name != "kustomization.yaml"]
    command = [sys.executable, "-m", "kubernetes_validate", "--strict", "-k", version, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_kustomize_takes_all_but_the_example_of_a_secret() -> None:
    listed = yaml.safe_load((DEPLOY / "kubernetes/kustomization.yaml").read_text())["resources"]
    assert {*listed, "kustomization.yaml", "secret.example.yaml"} == {path.name for path in FILES}


def test_no_container_runs_as_root_or_writes_to_its_image_or_takes_all_memory() -> None:
    for pod in pods().values():
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
    for container in containers():
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
        }  # fmt: skip
        assert container["resources"]["limits"]["memory"]


def test_every_process_is_there_and_beat_is_one() -> None:
    names = {container["name"] for container in containers()}
    assert names == {"web", "indexer", "worker", "diagnoser", "beat", "migrate", "wait-for-migrations"}
    beat = one("Deployment", "faultbook-beat")["spec"]
    assert (beat["replicas"], beat["strategy"]) == (1, {"type": "Recreate"})


def test_probes_ask_under_a_name_that_is_let_in() -> None:
    allowed = one("ConfigMap")["data"]["ALLOWED_HOSTS"]
    web = pods()["faultbook-web"]["containers"][0]
    for probe, path in (("startupProbe", "/healthz"), ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")):
        assert web[probe]["httpGet"]["path"] == path
        assert web[probe]["httpGet"]["httpHeaders"] == [{"name": "Host", "value": allowed}]


def test_every_variable_is_documented() -> None:
    known = (ROOT / "docs/configuration.md").read_text()
    for name in one("ConfigMap")["data"] | one("Secret")["stringData"]:
        assert f"`{name}`" in known or name.startswith("GRANIAN_"), name


def test_the_images_packages_stay_below_their_budget() -> None:
    """As installed here: there is no image to weigh. Base and git are another 230 MB, code and bytecode 150."""
    names = re.findall(r"^([\w.-]+)(?:\[.*?\])?==", (ROOT / "requirements/run.txt").read_text(), re.MULTILINE)
    wanted = {canonicalize_name(name) for name in names}
    installed = {name: one for one in distributions() if (name := canonicalize_name(one.name)) in wanted}
    assert len(installed) > 50
    files = [Path(str(file.locate())) for one in installed.values() for file in one.files or ()]
    assert sum(file.stat().st_size for file in files if file.is_file()) < PACKAGES_MB * 1_000_000


def test_caddy_takes_its_example(tmp_path: Path) -> None:
    """Where it is installed; Debian 12 has 2.6, which buffers requests by another word."""
    if caddy := shutil.which("caddy"):
        version = subprocess.run([caddy, "version"], capture_output=True, text=True, check=True).stdout
        text = (DEPLOY / "Caddyfile").read_text()
        older = re.sub(r"request_buffers .*", "buffer_requests", text)
        (tmp_path / "Caddyfile").write_text(older if version.lstrip("v").startswith("2.6") else text)
        command = [caddy, "validate", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_nginx_takes_its_example(tmp_path: Path) -> None:
    """Where it is installed. The certificates are not here."""
    if nginx := shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin"):
        text = re.sub(r"^ *ssl_.*\n", "", (DEPLOY / "nginx.conf").read_text(), flags=re.MULTILINE)
        whole = f"pid {tmp_path}/pid; events {{}} http {{ {text.replace('443 ssl', '8443')} }}"
        (tmp_path / "nginx.conf").write_text(whole)
        command = [nginx, "-t", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
