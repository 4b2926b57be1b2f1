"""Which stage of its life a line shows a run to be in, from init to teardown, by rules over texts."""

import re
from collections.abc import Collection

INIT, LOAD, TRAIN, CHECKPOINT = "init", "load", "train", "checkpoint"
EVAL, SERVE, TEARDOWN = "eval", "serve", "teardown"
SAVED, LOADED, EVALUATED, FINISHED = "saved", "loaded", "evaluated", "finished"
# What comes after an ended stage.
ENDS = {SAVED: TRAIN, LOADED: LOAD, EVALUATED: TRAIN, FINISHED: TEARDOWN}

# The first that matches decides: an end is told in the words of its beginning.
RULES = {
    FINISHED: (
        r"(?:pre-?|fine-?)?(?:training|tuning) (?:(?:has|is|was|run|job|loop) ){0,2}"
        r"(?:finished|completed?|done|ended)\b|"
        r"(?:finished|completed|done with|done|end of|after) (?:the )?(?:pre-?|fine-?)?(?:training|tuning)\b|"
        r"train_runtime\b|train metrics \*{3,}|Trainer\.fit` stopped: `max_|"
        r"max_(?:steps|epochs|iters|time)\b.{0,16} reached|exiting program\b|training time\b|"
        r"max(?:imum)? (?:\w+ )?(?:steps|epochs|iter\w*) reached|"
        r"reached (?:the )?max(?:imum)?[_ ](?:\w+ )?(?:steps|iter\w*|epochs)|"
        r"(?:job|run|trial|script|experiment|workflow|benchmark|evaluation|worker group) (?:\S{1,60} )?"
        r"(?:(?:has|was|is|been) ){0,2}(?:successfully )?(?:finished|completed|succeeded|done)\b|"
        r"(?:job|task|run)(?:'s)? (?:state|status|phase)\W{1,3}(?:completed|succeeded|finished)\b|state: SUCCEEDED|"
        r"(?:completed|finished|exits?|exited|ended|terminated) (?:successfully|normally|cleanly)\b|"
        r"successfully (?:completed|finished|trained|exported|converted|quanti[sz]ed|merged)\b|"
        r"training (?:was )?successful(?:ly)?\b|exit(?:ed)?(?: with)? (?:code|status)[ :=]{1,3}0\b|"
        r"^(?:done|finished|completed?|success)[.!]{0,3}$|tasks\s*\|\s*version\s*\||"
        r"all (?:done|finished|(?:tasks|jobs|steps|epochs) (?:done|completed|finished))\b|"
        r"(?:saved?|saving|wrote) (?:the )?final\b|"
        r"final (?:model|checkpoint|weights) (?:was |has been )?(?:saved|written)\b|"
        # Stopped on purpose, before all that was planned.
        r"early[- _]?stopping (?:was )?(?:triggered|activated|condition (?:met|reached))|stop(?:ping|ped) early\b|"
        r"early[- _]?stopp(?:ing|ed) (?:the )?(?:training|run|at (?:epoch|step|iteration))|"
        r"signaling trainer to stop|run_stop\b|"
        r"(?:reached|hit) (?:the )?target (?:loss|accuracy|metric|quality|reward)|"
        r"target (?:loss|accuracy|metric|quality|reward) (?:was |has been )?reached\b|"
        # What a program that answers once, measures or runs as a pod or job leaves behind.
        r"(?:llama_perf\w*|llama_print_timings|common_perf_print): +total time|quantize time =|"
        r"serving benchmark result|State=COMPLETED|engine closed\b|shutting down ray distributed executor|"
        r"w&b process to finish\W{1,5}\(success\)|run summary:"
    ),
    SAVED: (
        r"successfully saved|saved checkpoint|checkpoint saved|finished saving|done saving|saved (?:model|state)|"
        r"saved? .{0,40}(?:complete|done|took)|saving .{0,60}\b(?:took|done|complete)"
    ),
    CHECKPOINT: (
        r"(?:sav(?:e|ing)|writ(?:e|ing)|wrote|flush\w*|dump(?:ing)?)\b.{0,60}"
        r"\b(?:checkpoint|ckpt|shard|state[_ ]dict|optimizer state|snapshot|global_step|iter_\d)|"
        r"_?save_checkpoint\b"
    ),
    LOADED: (
        r"successfully loaded|loaded checkpoint|checkpoint loaded|finished loading|weights loaded|done loading|"
        r"load(?:ing|ed)? .{0,60}\b(?:took|complete|done)\b|"
        r"loaded engine|load weight end"
    ),
    LOAD: (
        r"(?:load(?:ing)?|restor(?:e|ing)|resum(?:e|ing)|read(?:ing)?)\b.{0,60}"
        r"\b(?:checkpoint|ckpt|shards?|weights|model|state[_ ]dict|dataset|tokenizer|safetensors)|"
        r"building (?:\w+ )?(?:model|dataset|tokenizer|vocab)|building .{0,20}datasets?|number of parameters|"
        r"load_state_dict|load_checkpoint|from_pretrained|tokeni[sz]ing\b|instantiating (?:the )?(?:model|data)|"
        r"preparing (?:the )?(?:\w+ )?(?:data|dataset|datasets|set)\b|llama_model_loader|llm_load_|num_tensors=|"
        r"starting (?:llama server|runner|shard)|new model will fit|resolving data files|"
        r"waiting for (?:llama )?(?:runner|server) to (?:start|become)"
    ),
    INIT: (
        r"rendezvous'ing|starting elastic_operator|initializing (?:a v\d |an? )?llm engine|"
        r"automatically detected platform|init torch distributed|"
        r"initiali[sz](?:ing|ed) (?:torch distributed|(?:tensor|pipeline) model parallel)|"
        r"connected to ray cluster|started a local ray instance|"
        r"connecting to jax distributed|bootstrap ?: using|memory profiling|maximum concurrency|available kv cache|"
        r"(?:cuda|gpu|npu) blocks: \d|captur(?:e|ing) (?:the )?(?:model|(?:batch|cuda) ?graphs?)|graph capturing"
    ),
    EVALUATED: (
        r"(?:valid(?:ation)?|eval(?:uation)?|test) loss at iteration|finished validation|"
        r"eval(?:uation)? (?:done|finished|complete)"
    ),
    EVAL: (
        r"(?:starting|running|begin\w*) .{0,20}(?:validation|evaluat(?:ion|ing)|eval\b)|"
        r"evaluating iter|evaluation on"
    ),
    TRAIN: (
        r"start(?:ing)? (?:of )?training|training (?:started|begins)|entering training|begin training|"
        r"before the start of training step|running training|(?:train|training)_step\b"
    ),
    SERVE: (
        r"application startup complete|uvicorn running|ready to (?:serve|receive|roll)|server (?:is )?(?:ready|up)\b|"
        r"server is listening|listening on .{0,12}(?:\d+\.\d+\.\d+\.\d+|\[::\]|localhost|:\d)|server started\b|"
        r"started (?:grpc|http)\w*service|"
        r"(?:prompt|generation) throughput|engine (?:started|is ready)|decode batch|"
        r"POST /\S{1,200} HTTP/\d(?:\.\d)?\"? 200 OK|"
        r"POST {1,9}\"/(?:api|v1)/|llama runner started|server\.rs:\d+: Success"
    ),
    TEARDOWN: (r"destroy_process_group|shutting down"),
}
# What begins or ends at no boundary of a word.
UNBOUNDED = {
    FINISHED: r"|训练(?:完成|结束)|^[\w.-]+\s+0/\d+\s+Completed\s"
    r"|= (?:\d+ (?:passed|skipped|deselected|xfailed|xpassed|warnings?)(?:, | ))+in \d"
}
PATTERNS = {
    stage: re.compile(rf"\b(?:{rule}){UNBOUNDED.get(stage, '')}", re.IGNORECASE) for stage, rule in RULES.items()
}


def mark(text: str) -> str:
    """The stage that a kind of line begins, or `saved`, `loaded`, `evaluated`, `finished` where it ends; else empty."""
    return first_of([stage for stage, pattern in PATTERNS.items() if pattern.search(text)])


def first_of(matched: Collection[str]) -> str:
    """The same for a text that has the patterns of these stages."""
    for stage in PATTERNS:
        if stage in matched:
            return stage
    return ""
