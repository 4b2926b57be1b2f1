"""Reports of `nvidia-smi -q`: what is wrong with which GPU, by its place on the bus. Nothing is joined to a log here.

A report may stand within a log: only its own lines are taken out, and the numbers of lines stay.
"""

import re
from dataclasses import dataclass, field

from kb.core.diagnosis.scanning.claim_patterns import PCI

TITLE = "NVSMI LOG"
MOST_GPUS, MOST_FAULTS, MOST_PROCESSES = 1024, 32, 64
LOST, FAULTY, DOUBTFUL, SLOW, PAST = 0.95, 0.75, 0.5, 0.4, 0.0
OWN_LINE = re.compile(r"^(?:\s|=+NVSMI LOG=+|$|(?:Timestamp|Driver Version|CUDA Version|Attached GPUs)\s+:)")
GPU = re.compile(rf"^GPU (?P<bus>{PCI})\b")
VALUE = re.compile(r"^(?P<key>[^:]{1,60}?)\s*: (?P<value>.{1,200})$")
GONE = re.compile(r"GPU is lost|Unknown Error|^ERR!|requires reset", re.IGNORECASE)
THROTTLES = frozenset({"HW Slowdown", "HW Thermal Slowdown", "HW Power Brake Slowdown", "SW Thermal Slowdown"})
TO_RETIRE = (DOUBTFUL, "pages of its memory wait to be retired, for which it must be reset")
TO_REMAP = (DOUBTFUL, "rows of its memory wait to be remapped, for which it must be reset")
# What a key says outright in a section of this name.
SAID = {
    ("Remapped Rows", "Pending", "Yes"): TO_REMAP,
    ("Remapped Rows", "Remapping Failure Occurred", "Yes"): (FAULTY, "rows of its memory could not be remapped"),
    ("Retired Pages", "Pending", "Yes"): TO_RETIRE,
    ("Retired Pages", "Pending Page Blacklist", "Yes"): TO_RETIRE,
    ("GPU Reset Status", "Reset Required", "Yes"): (FAULTY, "it must be reset"),
    ("GPU Reset Status", "Drain and Reset Recommended", "Yes"): (DOUBTFUL, "it is to be drained and reset"),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with a GPU. `score`: how much that makes it suspect; `is_slow`: it only makes it slow."""

    score: float
    text: str
    is_slow: bool = False


@dataclass(eq=False, slots=True)
class Gpu:
    """A GPU as reported. `number`: its place in the report; `processes`: id, name and MiB of those that held memory."""

    bus: str
    number: int
    faults: dict[str, Fault] = field(default_factory=dict)
    processes: list[tuple[str, str, int]] = field(default_factory=list)

    def add(self, score: float, text: str, *, is_slow: bool = False) -> None:
        """Add a fault, once."""
        if len(self.faults) < MOST_FAULTS:
            self.faults.setdefault(text, Fault(score, text, is_slow))


@dataclass(eq=False)
class Report:
    """What a file reports of its GPUs. `name`: the file's; `gpus`: by their places on the bus.

    `has_begun`: its title was read; `is_open`: the next line may be of it.
    """

    name: str
    gpus: dict[str, Gpu] = field(default_factory=dict)
    has_begun: bool = False
    is_open: bool = False
    _gpu: Gpu = field(default_factory=lambda: Gpu("", -1))
    _path: list[tuple[int, str]] = field(default_factory=list)
    _values: dict[str, str] = field(default_factory=dict)

    def without(self, text: str) -> str:
        """Read the report out of some lines; as many are left. Of each GPU, number and place stay."""
        return "\n".join(map(self._line, text.split("\n")))

    def _line(self, line: str) -> str:
        match = GPU.match(line) if self.has_begun else None
        if match is not None:
            self.is_open = True
            return self._begin(match["bus"])
        is_title = TITLE in line
        self.has_begun = self.has_begun or is_title
        self.is_open = is_title or (self.is_open and OWN_LINE.match(line) is not None)
        if not self.is_open:
            return line
        if line[:1] == " " and self._gpu.bus and line.strip():
            self._read(line)
        return ""

    def _begin(self, bus: str) -> str:
        """Begin with what is told of a GPU. Returns its number and place, as nvidia-smi lists them."""
        self._path, self._values = [], {}
        if bus not in self.gpus and len(self.gpus) < MOST_GPUS:
            self.gpus[bus] = Gpu(bus, len(self.gpus))
        self._gpu = self.gpus.get(bus, Gpu("", -1))
        return f"{self._gpu.number}, {bus}" if self._gpu.bus else ""

    def _read(self, line: str) -> None:
        """Read a line of a GPU: a section's name, or a value. Sections stand within sections by their indents."""
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        while self._path and self._path[-1][0] >= indent:
            self._path.pop()
        match = VALUE.match(text)
        key = match["key"] if match else text.rstrip(" :")[:60]
        sections = [name for _, name in self._path]
        self._path.append((indent, key))
        if match is not None:
            self._judge(sections, key, match["value"].strip())

    def _judge(self, sections: list[str], key: str, value: str) -> None:
        gpu, place = self._gpu, (sections or [""])[0]
        if GONE.search(value):
            gpu.add(LOST, f"nvidia-smi could not read it ({value[:40]})")
        elif (place, key, value) in SAID:
            gpu.add(*SAID[place, key, value])
        elif key == "GPU Recovery Action" and value not in ("None", "N/A"):
            gpu.add(FAULTY, f"its driver asks for this: {value[:40].lower()}")
        elif place == "ECC Errors" and value.isdigit() and int(value[:9]) > 0:
            self._count_errors(sections, key, value)
        elif place.startswith("Clocks") and value == "Active" and key in THROTTLES:
            gpu.add(SLOW, f"its clocks are held down ({key})", is_slow=True)
        elif sections[-1:] == ["Link Width"]:
            self._judge_width(key, value)
        elif place == "Processes":
            self._read_process(key, value)

    def _count_errors(self, sections: list[str], key: str, value: str) -> None:
        if not ("Uncorrectable" in key or "Double Bit" in sections) or key == "Total":
            return
        if "Volatile" in sections:
            self._gpu.add(FAULTY, f"{value[:12]} uncorrectable memory errors since its driver was loaded ({key})")
        elif "Aggregate" in sections:
            self._gpu.add(PAST, f"{value[:12]} uncorrectable memory errors in its life ({key})")

    def _judge_width(self, key: str, value: str) -> None:
        self._values[key] = value
        most, now = (self._values.get(name, "").rstrip("xX ") for name in ("Max", "Current"))
        if key == "Current" and most.isdigit() and now.isdigit() and int(now[:4]) < int(most[:4]):
            self._gpu.add(SLOW, f"its PCIe link has {now} lanes of {most}", is_slow=True)

    def _read_process(self, key: str, value: str) -> None:
        self._values[key] = value
        amount = value.partition(" MiB")[0]
        if key == "Used GPU Memory" and amount.isdigit() and len(self._gpu.processes) < MOST_PROCESSES:
            name = self._values.get("Name", "?").rpartition("/")[2][:60]
            self._gpu.processes.append((self._values.get("Process ID", "?")[:12], name, int(amount[:9])))
