"""The data folder, the port, the packages: what is decided before anything is started."""

import fcntl
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from config.embedded import install, ports
from config.embedded.layout import ROOT, Hold, Layout, State
from config.embedded.progress import ProblemError, Step, last_lines, say, step


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path / "data")
    made.create()
    return made


class TestLayout:
    def test_only_this_user_may_look_inside(self, layout: Layout) -> None:
        layout.write_settings({"SECRET_KEY": layout.secret()})
        assert layout.data.stat().st_mode & 0o777 == 0o700
        assert layout.run_env.stat().st_mode & 0o777 == 0o600
        assert (layout.data / "secret_key").stat().st_mode & 0o777 == 0o600

    def test_the_secret_is_made_once_and_long(self, layout: Layout) -> None:
        assert layout.secret() == layout.secret()
        assert len(layout.secret()) > 50

    def test_somebody_elses_folder_is_neither_used_nor_wiped(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").touch()
        with pytest.raises(ProblemError, match="holds other things"):
            Layout(tmp_path).create()
        with pytest.raises(ProblemError, match="nothing was deleted"):
            Layout(tmp_path).wipe()
        assert (tmp_path / "thesis.tex").exists()

    def test_a_file_is_no_folder(self, tmp_path: Path) -> None:
        (tmp_path / "data").touch()
        with pytest.raises(ProblemError, match="is a file"):
            Layout(tmp_path / "data").create()

    def test_wiping_leaves_an_empty_folder_and_follows_no_link(self, layout: Layout, tmp_path: Path) -> None:
        kept = tmp_path / "kept"
        kept.mkdir()
        (kept / "file").touch()
        layout.write_settings({})
        (layout.data / "link").symlink_to(kept)
        layout.wipe()
        assert list(layout.data.iterdir()) == []
        assert (kept / "file").exists()

    def test_a_wipe_broken_off_can_be_repeated(self, layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("aaa", "zzz"):
            (layout.data / name).mkdir()

        def refuse(_folder: Path) -> None:
            raise PermissionError

        with monkeypatch.context() as patched:
            patched.setattr("shutil.rmtree", refuse)
            with pytest.raises(PermissionError):
                layout.wipe()
        layout.wipe()
        assert list(layout.data.iterdir()) == []

    @pytest.mark.parametrize("left", ["", "{", "[]", '{"pid": 1}', '{"unknown": 1}'])
    def test_a_state_cut_short_by_a_power_cut_is_no_state(self, layout: Layout, left: str) -> None:
        (layout.data / "up.json").write_text(left)
        assert layout.read_state() is None

    def test_the_state_is_read_as_written(self, layout: Layout) -> None:
        state = State(12, 34.5, "http://127.0.0.1:8000")
        layout.write_state(state)
        assert layout.read_state() == state
        assert json.loads((layout.data / "up.json").read_text())["pid"] == 12

    def test_one_process_holds_the_folder_at_a_time(self, layout: Layout) -> None:
        hold = Hold(layout)
        assert hold.take()
        program = (
            "from pathlib import Path; from config.embedded.layout import Hold, Layout; "
            f"print(Hold(Layout(Path({str(layout.data)!r}))).take())"
        )
        asked = [sys.executable, "-c", program]
        assert subprocess.check_output(asked, cwd=ROOT, text=True).strip() == "False"
        hold.release()
        assert subprocess.check_output(asked, cwd=ROOT, text=True).strip() == "True"

    def test_a_lock_deleted_at_the_same_moment_holds_nothing(
        self, layout: Layout, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lock = fcntl.lockf
        deleted: list[int] = []

        def lock_late(descriptor: int, how: int) -> None:
            if not deleted:
                layout.lock.unlink()
                deleted.append(descriptor)
            lock(descriptor, how)

        monkeypatch.setattr(fcntl, "lockf", lock_late)
        hold = Hold(layout)
        assert hold.take()
        assert os.fstat(hold.descriptor).st_ino == layout.lock.stat().st_ino
        hold.release()


class TestPorts:
    def test_a_taken_port_is_passed_over(self) -> None:
        with socket.socket() as taken:
            taken.bind((ports.HOST, 0))
            taken.listen(1)
            number = taken.getsockname()[1]
            port = ports.choose(number)
            port.release()
        assert port.number > number

    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux has names that the kernel frees")
    def test_two_that_look_at_the_same_moment_get_two_ports(self) -> None:
        first = ports.choose(42_000)
        second = ports.choose(42_000)
        first.release()
        second.release()
        assert first.number != second.number

    @pytest.mark.parametrize("wanted", ["http", "0", "70000", "-1", "80.5"])
    def test_a_port_that_is_none_is_refused_in_plain_words(self, wanted: str) -> None:
        with pytest.raises(ProblemError, match="not a number from 1 to 65535"):
            ports.number_of(wanted)

    def test_no_port_means_the_first(self) -> None:
        assert ports.number_of("") == 8000


class TestInstalling:
    @pytest.fixture(autouse=True)
    def _elsewhere(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(install, "STAMP", tmp_path / "stamp")
        monkeypatch.setattr(install, "LOCKS", tmp_path)
        for name in install.SETS:
            (tmp_path / f"{name}.txt").write_text(f"{name}==1")

    def test_what_was_installed_is_not_installed_again(self) -> None:
        assert not install.is_installed("embedded")
        install.STAMP.write_text(install.stamp_of("embedded"))
        assert install.is_installed("embedded")
        assert not install.is_installed("dev")

    def test_two_at_once_install_one_after_the_other(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(install, "python_works", lambda: True)
        for name in ("make_venv", "install_uv"):
            monkeypatch.setattr(install, name, lambda: None)
        began: list[Path] = []

        def install_slowly(lock: Path) -> None:
            began.append(lock)
            time.sleep(0.2)

        monkeypatch.setattr(install, "install_packages", install_slowly)
        threads = [threading.Thread(target=install.install, args=("dev", Step())) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert began == [install.LOCKS / "dev.txt"]

    def test_the_larger_set_holds_the_smaller_one(self) -> None:
        install.STAMP.write_text(install.stamp_of("dev"))
        assert install.is_installed("embedded")

    def test_a_changed_lock_is_installed(self) -> None:
        install.STAMP.write_text(install.stamp_of("dev"))
        (install.LOCKS / "dev.txt").write_text("dev==2")
        assert not install.is_installed("dev")

    def test_uv_is_told_of_pips_index_unless_it_has_its_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        said = "global.index-url='https://mirror.example/simple'\n:env:.cert='/certificates.pem'\nuser.timeout='5'\n"
        listed = subprocess.CompletedProcess([], 0, said, "")
        monkeypatch.setattr(install, "run", lambda *_: listed)
        monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        assert install.index_settings()["SSL_CERT_FILE"] == "/certificates.pem"
        assert install.index_settings()["UV_DEFAULT_INDEX"] == "https://mirror.example/simple"
        monkeypatch.setenv("UV_DEFAULT_INDEX", "https://own.example/simple")
        assert install.index_settings()["UV_DEFAULT_INDEX"] == "https://own.example/simple"

    def test_a_python_that_cannot_make_environments_is_explained(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        failed = subprocess.CompletedProcess([], 1, "", "ensurepip is not available\n")
        monkeypatch.setattr(install, "run", lambda *_: failed)
        monkeypatch.setattr(install, "VENV", tmp_path / "venv")
        monkeypatch.setattr(install, "PYTHON", tmp_path / "venv" / "bin" / "python")
        with pytest.raises(ProblemError, match=r"apt install python3-venv(.|\n)*ensurepip is not available"):
            install.make_venv()

    def test_every_lock_is_part_of_the_development_one(self) -> None:
        locks = ROOT / "requirements"
        pins = {
            name: {line.split()[0] for line in (locks / f"{name}.txt").read_text().splitlines() if "==" in line[:60]}
            for name in ("run", "embedded", "dev")
        }
        assert pins["run"] < pins["embedded"] < pins["dev"]


class TestProgress:
    def test_a_step_shows_its_time_or_that_nothing_was_to_do(self, capsys: pytest.CaptureFixture[str]) -> None:
        with step(2, "Doing"):
            pass
        with step(3, "Doing more") as current:
            current.note = "not needed"
        assert capsys.readouterr().out == "[2/7] Doing ... 0.0 s\n[3/7] Doing more ... not needed\n"

    def test_a_terminal_that_is_gone_stops_nothing(self) -> None:
        read, write = os.pipe()
        program = (
            f"from config.embedded.progress import say; say('x' * 99999); say('y'); open({write}, 'w').write('on')"
        )
        deaf, end = os.pipe()
        os.close(deaf)
        process = subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=ROOT,
            stdout=end,
            pass_fds=[write],
        )
        os.close(write)
        os.close(end)
        with os.fdopen(read) as answer:
            assert answer.read() == "on"
        assert process.wait() == 0

    def test_letters_that_the_terminal_lacks_silence_nothing(self) -> None:
        program = "from config.embedded.progress import say; say('caf\\xe9 \\u2713'); say('ready')"
        env = {**os.environ, "PYTHONIOENCODING": "ascii"}
        said = subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, env=env, text=True)
        assert said == "caf\\xe9 \\u2713\nready\n"

    def test_the_end_of_a_log_is_shown(self, tmp_path: Path) -> None:
        log = tmp_path / "web.log"
        assert "there is no log" in last_lines(log)
        log.write_text("one\ntwo\nthree\n")
        assert last_lines(log, 2) == "  two\n  three"
        say("")
