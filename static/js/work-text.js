// The frozen text of the labeling page: what is selected in it becomes evidence, and words in it are found.
//
// Every run of visible text says in `data-at` where it stands in the text as it was written, in characters as the
// server counts them: a script counts halves of some. Where `data-to` is given, the run can be taken as a whole only.
"use strict";

(() => {
  const MOST_HITS = 1000;
  const SETTLED = 150;
  const issue = document.getElementById("issue");
  const ballot = document.getElementById("ballot");
  const passages = document.getElementById("passages");
  const bar = document.getElementById("attach-bar");
  const status = document.getElementById("work-status");
  const form = document.getElementById("text-search");
  const box = document.getElementById("text-words");
  const attachHit = document.getElementById("attach-hit");
  const parts = [...document.querySelectorAll("[data-part]")];
  const canMark = "highlights" in CSS;
  /** @type {Range[]} */
  let hits = [];
  let current = -1;
  let settled = 0;

  /** @param {string} text */
  const count = (text) => [...text].length;
  /** @param {string} text @param {number} characters */
  const units = (text, characters) => [...text].slice(0, characters).join("").length;
  /** @param {string} text */
  const say = (text) => {
    status.textContent = text;
  };

  /** @param {string} name @param {Range[]} ranges */
  const mark = (name, ranges) => {
    if (!canMark) return;
    CSS.highlights.set(name, new Highlight(...ranges));
  };

  /** Where a part of a run begins and ends in the raw text. @param {HTMLElement} run @param {Range} range */
  const placeIn = (run, range) => {
    const text = run.firstChild;
    const at = Number(run.dataset.at);
    const from = range.startContainer === text ? range.startOffset : 0;
    const until = range.endContainer === text ? range.endOffset : text.length;
    if (until <= from) return null;
    if (run.dataset.to) return [at, Number(run.dataset.to)];
    return [at + count(text.data.slice(0, from)), at + count(text.data.slice(0, until))];
  };

  /** The passage that a range takes in, of one part of the issue. @param {Range} range */
  const passageOf = (range) => {
    const part = parts.find((one) => range.intersectsNode(one));
    const runs = part ? [...part.querySelectorAll("[data-at]")].filter((run) => run.firstChild && range.intersectsNode(run)) : [];
    const places = runs.map((run) => placeIn(run, range)).filter(Boolean);
    if (!places.length) return null;
    return { part: part.dataset.part, start: places[0][0], end: places[places.length - 1][1] };
  };

  /** The visible range of a passage. @param {{part: string, start: number, end: number}} passage */
  const rangeOf = ({ part, start, end }) => {
    const inPart = parts.find((one) => one.dataset.part === part);
    const range = document.createRange();
    let isStarted = false;
    for (const run of inPart?.querySelectorAll("[data-at]") ?? []) {
      const text = run.firstChild;
      if (!text) continue;
      const at = Number(run.dataset.at);
      const to = Number(run.dataset.to) || at + count(text.data);
      if (to <= start || at >= end) continue;
      const isWhole = Boolean(run.dataset.to);
      if (!isStarted) range.setStart(text, isWhole || start <= at ? 0 : units(text.data, start - at));
      range.setEnd(text, isWhole || end >= to ? text.length : units(text.data, end - at));
      isStarted = true;
    }
    return isStarted ? range : null;
  };

  const markEvidence = () => {
    const ranges = [...passages.querySelectorAll("input:checked")].map((input) => {
      const [part, start, end] = input.value.split(":");
      return rangeOf({ part, start: Number(start), end: Number(end) });
    });
    mark("evidence", ranges.filter(Boolean));
  };

  /** @param {string} name @param {string} text @param {string} [className] */
  const element = (name, text, className) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  /** @param {{part: string, start: number, end: number}} passage @param {string} quote @param {string} axis @param {string} axisName */
  const add = ({ part, start, end }, quote, axis, axisName) => {
    const value = `${part}:${start}:${end}:${axis}`;
    if ([...passages.querySelectorAll("input")].some((input) => input.value === value && input.checked)) return;
    const input = document.createElement("input");
    Object.assign(input, { type: "checkbox", name: "evidence", value, checked: true });
    const label = document.createElement("label");
    label.append(input, element("q", quote), element("span", axisName ? `${part}, for ${axisName}` : part, "count"));
    const row = document.createElement("li");
    row.append(label);
    passages.append(row);
  };

  /** @param {Range} range */
  const attach = (range) => {
    const passage = passageOf(range);
    if (!passage) return;
    const { axis = "", axisName = "" } = ballot.dataset;
    const quote = range.toString().trim();
    add(passage, quote, axis, axisName);
    bar.hidden = true;
    getSelection().removeAllRanges();
    passages.dispatchEvent(new Event("change", { bubbles: true }));
    say(`Attached${axisName ? ` for ${axisName}` : ""}: ${quote.slice(0, 80)}`);
  };

  const selected = () => {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    return parts.some((part) => range.intersectsNode(part)) && passageOf(range) ? range : null;
  };

  const showBar = () => {
    const range = selected();
    bar.hidden = !range;
    if (!range) return;
    const { axisName } = ballot.dataset;
    bar.querySelector("[data-active-axis]").textContent = axisName ? `: ${axisName}` : "";
    const place = range.getBoundingClientRect();
    bar.style.top = `${Math.max(8, Math.min(place.bottom + 8, innerHeight - 60))}px`;
    bar.style.left = `${Math.max(8, Math.min(place.left, innerWidth - bar.offsetWidth - 8))}px`;
  };

  document.addEventListener("selectionchange", () => {
    clearTimeout(settled);
    settled = setTimeout(showBar, SETTLED);
  });
  bar.addEventListener("mousedown", (event) => event.preventDefault());
  bar.addEventListener("click", () => {
    const range = selected();
    if (range) attach(range);
  });
  document.addEventListener("work:attach", (event) => attach(event.detail));
  document.addEventListener("work:key", (event) => {
    const range = event.detail.key === "e" && selected();
    if (!range) return;
    attach(range);
    event.preventDefault();
  });
  // The issue is read while the focus is in the answers.
  const scrolls = { PageDown: 0.85, PageUp: -0.85, ArrowDown: 0.1, ArrowUp: -0.1 };
  document.addEventListener("work:key", (event) => {
    const { key, target } = event.detail;
    if (!scrolls[key] || target.matches("input") || target.closest("pre, #side-note")) return;
    const box = issue.scrollHeight > issue.clientHeight ? issue : document.scrollingElement;
    box.scrollBy({ top: scrolls[key] * innerHeight });
    event.preventDefault();
  });
  document.addEventListener("work:filled", markEvidence);
  document.addEventListener("work:passage", (event) => {
    const { passage, axis, axisName } = event.detail;
    add(passage, rangeOf(passage)?.toString() ?? "", axis, axisName);
  });
  ballot.addEventListener("change", markEvidence);

  // Words in the text

  const nodesIn = () =>
    parts.flatMap((part) => {
      const found = [];
      const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) found.push(walker.currentNode);
      return found;
    });

  /** @param {string} text */
  const lower = (text) => (text.toLowerCase().length === text.length ? text.toLowerCase() : text);

  /** @param {string} wanted */
  const find = (wanted) => {
    const nodes = nodesIn();
    const starts = [];
    let text = "";
    for (const node of nodes) {
      starts.push(text.length);
      text += lower(node.data);
    }
    /** @param {number} place */
    const nodeAt = (place) => {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (starts[middle] <= place) low = middle;
        else high = middle - 1;
      }
      return low;
    };
    const ranges = [];
    for (let at = text.indexOf(wanted); at >= 0 && ranges.length < MOST_HITS; at = text.indexOf(wanted, at + wanted.length)) {
      const [first, last] = [nodeAt(at), nodeAt(at + wanted.length - 1)];
      const range = document.createRange();
      range.setStart(nodes[first], at - starts[first]);
      range.setEnd(nodes[last], at + wanted.length - starts[last]);
      ranges.push(range);
    }
    return ranges;
  };

  const showHit = () => {
    const hit = hits[current];
    mark("hit", hit ? [hit] : []);
    attachHit.disabled = !hit || !passageOf(hit);
    document.getElementById("text-hits").textContent = !box.value ? "" : hit ? `${current + 1} of ${hits.length}` : "nothing";
    if (!hit) return;
    const holder = hit.startContainer.parentElement;
    for (let folded = holder.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
    holder.scrollIntoView({ block: "center" });
  };

  /** @param {number} move */
  const step = (move) => {
    if (hits.length) current = (current + move + hits.length) % hits.length;
    showHit();
  };

  box.addEventListener("input", () => {
    const wanted = lower(box.value.trim());
    hits = wanted.length > 1 ? find(wanted) : [];
    current = hits.length ? 0 : -1;
    mark("hits", hits);
    showHit();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if ((event.ctrlKey || event.metaKey) && hits[current]) attach(hits[current]);
    else step(event.shiftKey ? -1 : 1);
  });
  attachHit.addEventListener("click", () => attach(hits[current]));
  for (const button of form.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => step(Number(button.dataset.step)));
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  document.getElementById("evidence-help").hidden = false;
  markEvidence();
})();
