// Evidence by keyboard: `e` leads into the frozen text, arrows go from line to line, with Shift they take in more,
// Enter attaches. A line is a paragraph, an item of a list, a row of a table, or one line of code.
"use strict";

(() => {
  const BLOCKS = "p, li, tr, h1, h3, h4, h5, h6, blockquote";
  const PAGE = 10;
  const issue = document.getElementById("issue");
  const status = document.getElementById("work-status");
  const canMark = "highlights" in CSS;
  /** @type {HTMLElement[][]} */
  let lines = [];
  let from = 0;
  let to = 0;
  let isChoosing = false;

  /** The runs of text, by the line that they stand in. */
  const gather = () => {
    const found = [];
    let last = null;
    for (const run of issue.querySelectorAll("[data-part] [data-at]")) {
      if (!run.textContent.trim()) continue;
      const holder = run.closest("pre") ? run : run.closest(BLOCKS);
      if (holder !== last) found.push([]);
      found[found.length - 1].push(run);
      last = holder;
    }
    return found;
  };

  const range = () => {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    const made = document.createRange();
    made.setStart(lines[first][0].firstChild, 0);
    const end = lines[last][lines[last].length - 1].firstChild;
    made.setEnd(end, end.length);
    return made;
  };

  const show = () => {
    const run = lines[to][0];
    for (let folded = run.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
    if (canMark) CSS.highlights.set("hit", new Highlight(range()));
    run.scrollIntoView({ block: "nearest" });
    const many = Math.abs(to - from) + 1;
    const text = lines[to].map((one) => one.textContent).join("");
    status.textContent = `${many > 1 ? `${many} lines, to ` : ""}line ${to + 1} of ${lines.length}: ${text.slice(0, 160)}`;
  };

  const leave = () => {
    isChoosing = false;
    delete issue.dataset.choosing;
    if (canMark) CSS.highlights.delete("hit");
    document.dispatchEvent(new CustomEvent("work:back"));
  };

  const begin = () => {
    lines = gather();
    if (!lines.length) return;
    isChoosing = true;
    issue.dataset.choosing = "yes";
    const visible = lines.findIndex(([run]) => run.getBoundingClientRect().top > 0);
    from = to = to < lines.length && to > 0 ? to : Math.max(0, visible);
    issue.focus({ preventScroll: true });
    show();
  };

  /** @param {number} step @param {boolean} more */
  const move = (step, more) => {
    to = Math.max(0, Math.min(lines.length - 1, to + step));
    if (!more) from = to;
    show();
  };

  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE, Home: -Infinity, End: Infinity };

  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (!isChoosing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (steps[event.key]) move(steps[event.key], event.shiftKey);
    else if (event.key === "Enter") {
      const chosen = range();
      leave();
      document.dispatchEvent(new CustomEvent("work:attach", { detail: chosen }));
    } else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  // On the window, so that it comes before the page's other keys.
  addEventListener("keydown", press, true);
  issue.addEventListener("focusout", (event) => {
    if (!isChoosing || issue.contains(event.relatedTarget)) return;
    isChoosing = false;
    delete issue.dataset.choosing;
    if (canMark) CSS.highlights.delete("hit");
  });
  document.addEventListener("work:key", (event) => {
    if (event.defaultPrevented || event.detail.key !== "e") return;
    begin();
    event.preventDefault();
  });
})();
