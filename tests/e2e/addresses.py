"""The address of one page of every kind, with the starter knowledge base loaded: to read, and to explore."""

ISSUE = "/issues/github.com/deepspeedai/DeepSpeed/4808"

READING = {
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
    "playbooks-found": "/playbooks/?q=memory&sort=issues",
    "playbook": "/playbooks/revert",
    "playbook-with-company": "/playbooks/coordination?sort=largest&framework=deepspeed",
    "studies": "/studies/",
    "study": "/studies/p1-distributed-frameworks",
    "about": "/about/",
    "status": "/status/",
    "not-found": "/no-such-page",
}

EXPLORING = {
    "explore": "/explore/",
    "explore-nothing": "/explore/?framework=vllm&year=2009",
    "study-grid": "/studies/open-llm-failures",
    "study-compare": "/studies/compare?a=open-llm-failures&b=dl-compiler-bugs&axis=symptom",
    "study-compare-none": "/studies/compare",
    "charts": "/explore/charts/",
    "chart-over-time": "/explore/charts/issues-over-time/?step=quarter",
    "chart-hot-spots": "/explore/charts/hot-spots/",
    "chart-states": "/explore/charts/state/",
    "chart": "/explore/charts/symptom-cause/",
    "chart-narrowed": "/explore/charts/framework-symptom/?symptom=hang&measure=lift",
    "chart-nothing": "/explore/charts/cause-fix/?framework=vllm&year=2009",
    "chart-mistake": "/explore/charts/cause-fix/?state=opne",
    "report": "/explore/report/?framework=deepspeed",
    "chart-frame": "/explore/charts/stage-symptom/embed",
    "chart-flow": "/explore/charts/flow/",
    "given": "/explore/given/",
    "given-symptom": "/explore/given/?symptom=hang",
    "given-narrowed": "/explore/given/?symptom=hang,crash&framework=deepspeed&level=2",
    "given-nothing": "/explore/given/?symptom=hang&year=2009",
    "cause-link": "/explore/links/curated/hang-collective/collective-mismatch",
    "priorities": "/explore/priorities/",
    "priorities-survey": "/explore/priorities/survey/",
    "audits": "/explore/audit/",
    "effort": "/explore/effort/?what=comments",
    "effort-nothing": "/explore/effort/?year=2009",
}

PAGES = READING | EXPLORING
