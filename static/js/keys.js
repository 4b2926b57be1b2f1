// Keys that move through a list of results. They never act while somebody types, nor together with another key.
"use strict";

(() => {
  const dialog = document.getElementById("keys");
  const opener = document.getElementById("keys-button");

  const titles = () => [...document.querySelectorAll(".result-title a")];
  const itemOf = (element) => element.closest(".result-list > li");

  const mark = (item) => {
    for (const other of document.querySelectorAll(".result-list > [aria-current]")) other.removeAttribute("aria-current");
    item?.setAttribute("aria-current", "true");
  };

  const move = (step) => {
    const all = titles();
    const current = document.querySelector(".result-list > [aria-current] .result-title a");
    const next = all[current ? all.indexOf(current) + step : step > 0 ? 0 : all.length - 1];
    if (!next) return;
    next.focus({ focusVisible: true });
    next.scrollIntoView({ block: "nearest" });
  };

  const openOriginal = () => document.querySelector(".result-list > [aria-current] .result-original")?.click();
  const showKeys = () => dialog?.showModal();
  const actions = { j: () => move(1), k: () => move(-1), o: openOriginal, "?": showKeys };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open]")) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  // Whatever brought the focus there, the result that has it is the current one.
  document.addEventListener("focusin", (event) => {
    const item = itemOf(event.target);
    if (item) mark(item);
  });
  if (opener) {
    opener.hidden = false;
    opener.addEventListener("click", showKeys);
  }
})();
