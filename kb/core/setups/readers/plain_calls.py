"""What calls of scripts say by their form alone: the trainer, the optimizer, and the device that something is moved to.

Not here: calls that set up training or serving by their arguments (`constructors.yaml`).
"""

import ast
import re

from kb.core.setups.facts import Place
from kb.core.setups.readers.draft import Draft
from kb.core.setups.readers.values import Module, literal, resolved

OPTIMIZER = re.compile(r"(torch|bitsandbytes)\.optim(?:\.\w{1,40})?\.([A-Z]\w{1,60})")
SCHEDULER = re.compile(r"LR$|LRScheduler$|Optimizer$")
TRAINER = re.compile(r"[A-Z]\w*Trainer|Trainer")
TASKS = {"SFT": "sft", "DPO": "dpo", "KTO": "kto", "ORPO": "orpo", "PPO": "ppo", "GRPO": "grpo", "Reward": "reward"}
DEVICE = re.compile(r"\b(cuda|cpu|mps|xpu|npu)\b")


def tell_plain_call(node: ast.Call, own: str, module: Module, place: Place, draft: Draft) -> None:
    """Add what a call says; `own` is the full name of what it calls."""
    last = own.rpartition(".")[2]
    if TRAINER.fullmatch(last):
        _tell_trainer(node, last, module, place, draft)
    optimizer = _optimizer(own, module)
    if optimizer:
        draft.add_fact("optimizer", optimizer, place)
    if isinstance(node.func, ast.Attribute):
        device = _device(node, node.func.attr, module)
        if device:
            draft.add_setting("model", "device", device, place)


def _tell_trainer(node: ast.Call, last: str, module: Module, place: Place, draft: Draft) -> None:
    draft.add_fact("trainer", last.lower(), place)
    task = next((task for part, task in TASKS.items() if last.startswith(part)), None)
    if task:
        draft.add_fact("task", task, place)
    for keyword in node.keywords:
        value = literal(keyword.value, module)
        if keyword.arg == "model" and isinstance(value, str):
            draft.add_fact("model", value.lower(), place)
        if keyword.arg == "packing" and isinstance(value, bool):
            draft.add_setting("trl", "packing", value, place)


def _optimizer(own: str, module: Module) -> str:
    """As TrainingArguments name it: adamw_bnb_8bit, sgd."""
    head, _, rest = own.partition(".")
    match = OPTIMIZER.fullmatch(f"{module.imported.get(head, head)}.{rest}")
    if match is None or SCHEDULER.search(match[2]):
        return ""
    name = match[2].lower()
    if match[1] == "bitsandbytes":
        return re.sub(r"(\d{1,2}bit)?$", r"_bnb_\1", name, count=1).rstrip("_")
    # PyTorch's Adam and AdamW have arguments that count.
    return "" if name in ("adam", "adamw") else name


def _device(node: ast.Call, method: str, module: Module) -> str:
    """Of `.cuda()`, `.to("cuda:0")`, and `.to(device)` where the name's one value says it."""
    if method == "cuda":
        return "cuda"
    if method != "to" or not node.args:
        return ""
    # "cuda" if torch.cuda.is_available() else "cpu": with a GPU there, it is the first.
    match = DEVICE.search(ast.unparse(resolved(node.args[0], module)))
    return match[1] if match else ""
