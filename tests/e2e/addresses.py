"""The address of one page of every kind, with the starter knowledge base loaded."""

ISSUE = "/issues/github.com/deepspeedai/DeepSpeed/4808"

PAGES = {
    "home": "/",
    "search": "/issues/?q=hang+in+ZeRO-3",
    "search-filtered": "/issues/?framework=deepspeed&symptom=hang",
    "search-nothing": "/issues/?q=flux+capacitor&framework=deepspeed",
    "search-mistake": "/issues/?state=opne",
    "search-mended": "/issues/?q=dedlock+in+ZeRO-3",
    "search-pasted": "/issues/?q=RuntimeError%3A+CUDA+error%0Aan+illegal+memory+access+was+encountered",
    "reported": "/issues/reported/?title=Mixtral+hangs+with+ZeRO-3&body=in-flight+parameters",
    "issue": ISSUE,
    "cite": f"{ISSUE}/cite",
    "codebook": "/codebook/",
    "node": "/codebook/house/symptom/hang",
    "playbooks": "/playbooks/",
    "playbook": "/playbooks/revert",
    "studies": "/studies/",
    "study": "/studies/p1-distributed-frameworks",
    "charts": "/explore/charts/",
    "chart": "/explore/charts/symptom-cause/",
    "chart-narrowed": "/explore/charts/framework-symptom/?symptom=hang&measure=lift",
    "chart-nothing": "/explore/charts/cause-fix/?framework=vllm&year=2009",
    "chart-mistake": "/explore/charts/cause-fix/?state=opne",
    "chart-frame": "/explore/charts/stage-symptom/embed",
    "effort": "/explore/effort/?what=comments",
    "effort-nothing": "/explore/effort/?year=2009",
    "about": "/about/",
    "status": "/status/",
    "not-found": "/no-such-page",
}
