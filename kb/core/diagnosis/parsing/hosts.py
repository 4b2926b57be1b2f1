"""Which bare names may be a host's, and which are a device's, a code's, a model's or a word's."""

import re

# Words that end or stand before a number where something is counted, measured or told, and no host is named.
COUNTED = (
    "step|epoch|iter(?:ation)?|layer|rank|cuda|python|py|stage|phase|zero|top|hits|recall|precision|loss|level|round|"
    "part|shard|chunk|batch|worker_?pid|attempt|try|retry|trial|run|test|case|experiment|exp|config|version|v|block|head|"
    "expert|group|pg|tp|pp|dp|ep|cp|seed|fold|task|job|jobid|thread|stream|channel|ring|tree|line|fsdp|conv|fc|linear|"
    "bn|norm|attn|mlp|embed|param|arg|opt|optimizer|model|checkpoint|ckpt|bf|fp|int|float|uint|utf|sha|md|base|p|q|k|r"
)
NO_HOSTS = (
    # Exceptions and their kin.
    r"(?:.*(?:Error|Exception|Warning|Interrupt|Exit|Fault|Failure))",
    rf"(?:{COUNTED})[-_.]?\d[\d.]*",
    # Codes: letters and a number of several digits, as EI0006, ERR01100, RAS-1234, E1024, WinError10054.
    r"(?-i:[A-Z]{1,6}-?\d{3,6})",
    r"(?:err(?:or|no)?|code|status|exit|sig|rc|http|errno)[-_]?\d+",
    # Devices and what drivers call themselves.
    r"(?:mlx\d|hfi\d|bnxt_re|irdma|rdmap|rocep|efa|hns|mthca|ib|eth|eno|ens|enp|enx|em|wlan|bond|br|veth|docker|lo|tun|"
    r"tap|usb|sd[a-z]|nvme|dm|md|loop|vd[a-z]|xvd[a-z]|card|render[A-Z]|tty\w|npu|hpu|xpu|tpu|mlu|dcu|davinci|nvidia|"
    r"nvswitch|nvlink|amdgpu|kfd|rocm|hip|cpu|numa|port|pci\w*|ttm|i915|xe|cma|ata|scsi|eth\w?)[-_.]?\d[\w.]*",
    r"nvidia[-_]\w+|mlx\d_\w+|ib_\w+|\w+_core|\w+-fs|ext\d|xfs|nfs\d?|r\d{4}|e1000e?|ixgbe\w*|i40e|ice|kvm\w*|x86\w*|"
    r"xhci\w*|ahci\w*|iwlwifi\d*|snd\w*|i2c\w*|drm\w*|uvm\w*|hwmon\d*|edac\d*|mce\d*|EXT\d.*|XFS.*|mc\d+",
    # Accelerators.
    r"gpu[-_]?\d|(?-i:(?:NVIDIA[-_]?|Tesla[-_]?|GeForce[-_]?)?(?:RTX|GTX|MI|GH|GB|[AHBVLTP])[-_]?\d{1,4}\w{0,4}"
    r"(?:[-_](?:SXM|PCI|NVL|\d+GB)\w*)*)|gaudi\d|ascend[-_]?\d+\w*|v\d[pe]?(?:-\d+)?",
    # Models and libraries, which are named with their version or size.
    r"(?:llama|qwen|qwq|mi[sx]tral|gemma|phi|gpt|bert|roberta|t|opt|bloom|falcon|deepseek|yi|glm|chatglm|baichuan|internlm|"
    r"vicuna|mpt|mamba|pythia|olmo|grok|kimi|ernie|whisper|clip|vit|resnet|unet|sd|sdxl|flux|stable|moe|kv|lora|"
    r"torch|pytorch|cudnn|cublas|nccl|rccl|libtorch|numpy|transformers|vllm|sglang|deepspeed|flash|triton|xformers)"
    r"[-_.]?v?\d[\w.-]*",
    r".*[-_]\d+(?:\.\d+)?[bBmM](?:[-_.].*)?",
    # Files.
    r".*\.(?:py|json\w*|ya?ml|safetensors|bin|pth?|ckpt|txt|log|sh|so(?:\.\d+)*|gguf|onnx|h5|npz?|parquet|arrow|tar|gz|"
    r"zip|cc|cpp|cuh?|hpp|go|rs|java|model|msgpack|[ct]sv|md|toml|ini|cfg|whl|out|err|index)",
    r"\d+",
)
NO_HOST = re.compile("|".join(NO_HOSTS), re.IGNORECASE)
# Names that are given to hosts and to hardly anything else.
TYPICAL = re.compile(
    r".*(?:node|host|worker|server|srv|compute|master|login|head|slurm|dgx|hgx|hpc|nid|rack|blade|instance|machine|vm|"
    r"cluster|pod|launcher|trainer|algo|ip-\d|gpu-\w*\d|gpu\d\d|gpu[a-z]|cn\d|gn\d|c\d+n\d|n\d{2,})|.*-\w*\d+$|"
    r".*[a-z]\d*\.[a-z][\w.-]*$",
    re.IGNORECASE,
)


def may_be_host(name: str) -> bool:
    """Whether a bare name before a colon or a bar may be that of a host."""
    return NO_HOST.fullmatch(name) is None


def is_typical_host(name: str) -> bool:
    """Whether a name is one that hosts have, and hardly anything else has."""
    return may_be_host(name) and TYPICAL.match(name) is not None
