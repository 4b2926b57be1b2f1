// The log viewer beside a result: the reader's own files, a window of lines at a time. A worker finds where lines begin.
"use strict";

(() => {
  const ROW = 20;
  // Browsers draw nothing beyond some ten million pixels.
  const TALLEST = 6_000_000;
  const SVG = "http://www.w3.org/2000/svg";
  const box = document.getElementById("log-viewer");
  if (!box || !globalThis.Worker) return;
  const part = (name) => document.getElementById(`viewer-${name}`);
  const view = part("lines");
  const map = part("map");
  const space = document.createElement("div");
  const page = document.createElement("div");
  space.className = "viewer-space";
  page.className = "viewer-page";
  space.append(page);
  view.append(space);

  let worker = null;
  let files = [];
  let notable = new Map();
  let opened = { id: 0, lines: 0, top: 0, at: -1, ask: 0, wanted: -1, done: false };
  let setScroll = -1;
  // Numbers of the only lines that are shown, or null: all are.
  let kept = null;
  let round = 0;

  const fit = () => Math.max(1, Math.floor(view.clientHeight / ROW));
  const count = () => (kept ? kept.length : opened.lines);
  const most = () => Math.max(0, count() - fit());
  const say = (text) => {
    opened.isPlace = false;
    part("status").textContent = text;
  };
  const number = (value) => value.toLocaleString("en");

  // Lines of the result that are in the file that is open, in its order.
  const marked = () => [...notable.keys()].sort((one, other) => one - other);

  // Where a line stands among those that are shown, or would stand.
  const placeOf = (line) => {
    if (!kept) return line;
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (kept[middle] < line) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const isShown = (line) => !kept || kept[placeOf(line)] === line;

  const askForLines = () => {
    if (!opened.lines) return;
    opened.ask += 1;
    const last = Math.min(opened.top + fit() + 1, count());
    const numbers = [];
    for (let place = opened.top; place < last; place += 1) numbers.push(kept ? kept[place] : place);
    worker.postMessage({ type: "read", ask: opened.ask, numbers });
  };

  const rowOf = (text, line) => {
    const row = document.createElement("div");
    const count = document.createElement("span");
    row.className = line === opened.at ? "viewer-row is-at" : "viewer-row";
    if (notable.has(line)) row.dataset.role = notable.get(line);
    count.className = "found-number";
    count.textContent = line + 1;
    row.append(count, text);
    return row;
  };

  const drawMap = () => {
    const bar = (at, height, name) => {
      const rect = document.createElementNS(SVG, "rect");
      const values = { x: 0, width: 16, y: at, height, class: name };
      for (const [key, value] of Object.entries(values)) rect.setAttribute(key, value);
      return rect;
    };
    const scale = 1000 / Math.max(count(), 1);
    const seen = marked().filter(isShown);
    const bars = seen.map((line) => bar(Math.min(placeOf(line) * scale, 994), 6, `mark-${notable.get(line)}`));
    map.replaceChildren(bar(opened.top * scale, Math.max(fit() * scale, 3), "viewer-window"), ...bars);
  };

  const moveTo = (line) => {
    opened.top = Math.round(Math.min(Math.max(line, 0), most()));
    const reach = space.offsetHeight - view.clientHeight;
    view.scrollTop = most() ? (opened.top / most()) * reach : 0;
    setScroll = view.scrollTop;
    askForLines();
    drawMap();
  };

  const sayPlace = () => {
    say(`Line ${number(opened.at + 1)} of ${number(opened.lines)}${opened.done ? "" : " so far"}`);
    opened.isPlace = true;
  };

  const jump = (line) => {
    if (line >= opened.lines && !opened.done) {
      showAll();
      opened.wanted = line;
      say(`Reading up to line ${number(line + 1)} …`);
      return;
    }
    opened.wanted = -1;
    opened.at = Math.min(Math.max(line, 0), opened.lines - 1);
    if (!isShown(opened.at)) showAll();
    moveTo(placeOf(opened.at) - Math.floor(fit() / 2));
    sayPlace();
  };

  const stretch = () => {
    space.style.height = `${Math.min(count() * ROW, TALLEST)}px`;
  };

  const showAll = () => {
    round += 1;
    kept = null;
    part("show").value = "all";
    stretch();
  };

  // Only some lines: those that the result names are known, the others are picked out by the worker.
  const showSome = (which) => {
    if (which === "text" && !part("text").value) {
      say("Type what the lines should have.");
      part("text").focus();
      return;
    }
    round += 1;
    kept = which === "matter" ? marked() : [];
    stretch();
    if (which === "matter") return sayKept(true);
    const text = which === "text" ? part("text").value : "";
    worker.postMessage({ type: "pick", round, text });
    return sayKept(false);
  };

  const sayKept = (isDone) => {
    if (!kept.length) page.replaceChildren();
    moveTo(opened.top);
    const found = kept.length ? `${number(kept.length)} of ${number(opened.lines)} lines` : "No line";
    say(isDone ? `${found} of this kind.` : `Found so far: ${number(kept.length)} …`);
  };

  const picked = (data) => {
    for (const line of data.numbers) kept.push(line);
    stretch();
    sayKept(data.done);
  };

  const choose = () => {
    opened.wanted = -1;
    if (!opened.lines) return;
    const which = part("show").value;
    opened.top = 0;
    if (which !== "all") return showSome(which);
    showAll();
    if (opened.at >= 0) return jump(opened.at);
    moveTo(0);
    return say(`${number(opened.lines)} lines`);
  };

  const indexed = (data) => {
    const isFirst = opened.lines === 0;
    opened.lines = data.lines;
    opened.done = Boolean(data.done);
    // What was chosen before the first line was known.
    if (isFirst && part("show").value !== "all") return choose();
    if (kept) return opened.done && part("show").value === "matter" && sayKept(true);
    stretch();
    if (opened.wanted >= 0 && (opened.wanted < opened.lines || opened.done)) jump(opened.wanted);
    else if (isFirst) moveTo(0);
    else drawMap();
    // How many lines there are is known at the end only.
    if (opened.done && opened.isPlace) sayPlace();
    if (opened.wanted < 0 && opened.at < 0) {
      say(opened.done ? `${number(opened.lines)} lines` : `${number(opened.lines)} lines so far …`);
    }
  };

  const heard = ({ data }) => {
    if (data.id !== opened.id) return;
    if (data.type === "indexed") indexed(data);
    if (data.type === "lines" && data.ask === opened.ask) {
      page.replaceChildren(...data.rows.map((text, at) => rowOf(text, data.numbers[at])));
    }
    if (data.type === "picked" && data.round === round && kept) picked(data);
    if (data.type === "found") {
      if (data.line < 0) say("It is not in the rest of the log.");
      else jump(data.line);
    }
    if (data.type === "unreadable") say("This file cannot be read here. Is it an archive? Unpack it first.");
  };

  const open = (file) => {
    const place = files.indexOf(file);
    part("file").value = String(place);
    const lines = document.querySelectorAll(".found-own[data-file]");
    const isIts = (line) => files.length === 1 || sameFile(line.dataset.file, file.name);
    notable = new Map([...lines].filter(isIts).map((line) => [Number(line.dataset.line) - 1, line.dataset.role]));
    showAll();
    opened = { id: opened.id + 1, lines: 0, top: 0, at: -1, ask: 0, wanted: -1, done: false, file };
    page.replaceChildren();
    worker ??= new Worker(box.dataset.worker);
    worker.onmessage = heard;
    worker.postMessage({ type: "open", id: opened.id, file });
  };

  // A compressed file is called without its ending in a result, and a file of an archive by its path there.
  const sameFile = (told, name) => told === name || told === name.replace(/\.gz$/, "") || told.endsWith(`/${name}`);

  const offer = (given) => {
    files = [...given].filter((file) => file.size);
    part("body").hidden = !files.length;
    for (const button of document.querySelectorAll("[data-jump]")) button.hidden = !files.length;
    if (!files.length) return;
    part("file").replaceChildren(...files.map((file, place) => new Option(file.name, place)));
    const first = document.querySelector(".found-own[data-file]");
    open(files.find((file) => first && sameFile(first.dataset.file, file.name)) ?? files[0]);
  };

  const jumpTo = (line) => {
    const file = files.find((one) => sameFile(line.dataset.file, one.name)) ?? (files.length === 1 ? files[0] : null);
    if (!file) return say(`${line.dataset.file} is not among the files that are open here.`);
    if (file !== opened.file) open(file);
    box.scrollIntoView({ block: "nearest" });
    view.focus({ preventScroll: true });
    return jump(Number(line.dataset.line) - 1);
  };

  const toNotable = (step) => {
    const all = marked().filter(isShown);
    const next = step > 0 ? all.find((line) => line > opened.at) : all.findLast((line) => line < opened.at);
    if (next === undefined) say("No further line that matters in this file.");
    else jump(next);
  };

  const amongAll = (line) => {
    if (!kept || line === undefined) return;
    showAll();
    jump(line);
  };

  const KEYS = {
    Enter: () => amongAll(kept && (isShown(opened.at) ? opened.at : kept[opened.top])),
    ArrowDown: () => moveTo(opened.top + 1),
    ArrowUp: () => moveTo(opened.top - 1),
    PageDown: () => moveTo(opened.top + fit() - 1),
    PageUp: () => moveTo(opened.top - fit() + 1),
    Home: () => moveTo(0),
    End: () => moveTo(most()),
    n: () => toNotable(1),
    p: () => toNotable(-1),
  };

  view.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key] || !opened.lines) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  view.addEventListener("scroll", () => {
    const reach = space.offsetHeight - view.clientHeight;
    if (Math.abs(view.scrollTop - setScroll) < 1 || reach <= 0) return;
    setScroll = -1;
    opened.top = Math.round((view.scrollTop / reach) * most());
    askForLines();
    drawMap();
  });
  view.addEventListener(
    "wheel",
    (event) => {
      // Where one pixel stands for many lines, the wheel moves by lines all the same.
      if (count() * ROW <= TALLEST || event.ctrlKey || !event.deltaY) return;
      event.preventDefault();
      moveTo(opened.top + Math.sign(event.deltaY) * Math.max(1, Math.round(Math.abs(event.deltaY) / ROW)));
    },
    { passive: false },
  );
  page.addEventListener("click", ({ target }) => {
    if (target.className === "found-number") amongAll(Number(target.textContent) - 1);
  });
  map.addEventListener("click", (event) => {
    const { top, height } = map.getBoundingClientRect();
    moveTo(((event.clientY - top) / height) * count() - fit() / 2);
  });
  part("find").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = part("text").value;
    const backwards = event.submitter?.value === "before";
    if (!text || !opened.id) return;
    if (part("show").value === "text") return choose();
    const from = opened.at < 0 ? opened.top : opened.at + (backwards ? -1 : 1);
    say("Looking …");
    return worker.postMessage({ type: "find", text, from, backwards });
  });
  part("goto").addEventListener("submit", (event) => {
    event.preventDefault();
    const line = Number.parseInt(part("line").value.replace(/\D/g, ""), 10);
    if (line > 0) jump(line - 1);
  });
  part("show").addEventListener("change", choose);
  part("file").addEventListener("change", () => open(files[Number(part("file").value)]));
  part("files").addEventListener("change", () => offer(part("files").files));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-jump]");
    if (button) jumpTo(button.closest(".found-line"));
  });
  document.addEventListener("diagnosis", (event) => {
    box.hidden = !document.querySelector(".verdict");
    offer(event.detail.files);
  });
})();
