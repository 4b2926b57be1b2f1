"""Container images: which versions their tags tell, by the projects' own ways of naming them."""

import re

from kb.core.setups.facts import Place
from kb.core.setups.readers.draft import Draft, Rank

TAGS = (
    (re.compile(r"(?:^|/)vllm-openai(?:-rocm|-cpu)?:v?(\d[\w.]*)"), "vllm"),
    (re.compile(r"(?:^|/)sglang(?:-repo|-rocm)?:v?(\d[\w.]*)"), "sglang"),
    (re.compile(r"(?:^|/)pytorch:(\d+\.\d+\.\d+)"), "torch"),
    (re.compile(r"(?:^|/)transformers(?:-pytorch-gpu)?:(\d[\w.]*)"), "transformers"),
    (re.compile(r"(?:^|/)deepspeed:v?(\d+\.\d+\.\d+)"), "deepspeed"),
    (re.compile(r"(?:^|/)axolotl(?:-cloud|-cloud-term)?:v?(\d+\.\d+\.\d+)"), "axolotl"),
    (re.compile(r"(?:^|/)axolotl(?:-\w+)*:[\w.-]*-cu\d{3}-(\d+\.\d+\.\d+)$"), "torch"),
    (re.compile(r"(?:^|/)colossalai:v?(\d+\.\d+\.\d+)"), "colossalai"),
    (re.compile(r"(?:^|/)pytorch_lightning:(?:[\w.-]*-)?(\d+\.\d+\.\d+)(?:-|$)"), "pytorch-lightning"),
    (re.compile(r"(?:^|/)llamafactory:v?(\d+\.\d+\.\d+)"), "llamafactory"),
    (re.compile(r"(?:^|/)llama\.cpp:[\w.-]*?-?b(\d{4,5})\b"), "ggml-org/llama.cpp"),
)
# verl's tags list what is in the image: app-verl0.5-transformers4.55.4-vllm0.10.0-mcore0.13.0-te2.2.
VERL = re.compile(r"(?:^|/)verl:([\w.-]+)")
IN_VERL = re.compile(r"(?:^|-)(vllm|sglang|mcore|torch|transformers|fa)(\d+\.\d+\.\d+(?:\.?post\d)?)(?=-|$)")
NAMES = {"mcore": "megatron-core", "fa": "flash-attn"}
CUDA = re.compile(r"cuda[-_:]?(\d{1,2}\.\d)|cu(\d{2})(\d)\b")
# NVIDIA's own images count by year and month; what is in one stands in its release notes.
BY_MONTH = re.compile(r"nvcr\.io/nvidia/([\w.-]+):(\d\d\.\d\d)")


def read_image(image: str, place: Place, draft: Draft) -> None:
    """What an image says: that it is a container, and the versions that its tag tells."""
    draft.add_fact("container", True, place)
    name = image.partition("@")[0]
    draft.add_source(place.file, "container image", name[:100])
    if BY_MONTH.search(name):
        return
    for pattern, package in TAGS:
        if match := pattern.search(name):
            draft.add_package(package, match[1], place, Rank.IMAGE)
    if listed := VERL.search(name):
        for word, version in IN_VERL.findall(listed[1]):
            draft.add_package(NAMES.get(word, word), version, place, Rank.IMAGE)
    if cuda := CUDA.search(name):
        draft.add_fact("cuda", cuda[1] or f"{cuda[2]}.{cuda[3]}", place, Rank.IMAGE)
