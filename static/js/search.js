// Small comforts of the search page: boxes that narrow a facet's list, lists that stay open after a choice, results
// that follow the typing of a short text, a button that copies the address. The page does all else without it.
"use strict";

(() => {
  // A longer text, or one of several lines, was pasted: it is searched when it is sent.
  const MOST_TYPED = 200;
  const opened = new Map();

  const prepare = () => {
    for (const list of document.querySelectorAll("#filters details")) {
      if (opened.has(list.id)) list.open = opened.get(list.id);
    }
    for (const hidden of document.querySelectorAll(".facet-box, [data-copy-address]")) hidden.hidden = false;
  };

  const narrow = (box) => {
    const wanted = box.value.trim().toLowerCase();
    for (const row of box.parentElement.querySelectorAll("li")) {
      row.hidden = !row.querySelector(".facet-name").textContent.toLowerCase().includes(wanted);
    }
  };

  const copyAddress = async (button) => {
    const status = button.querySelector("[role=status]");
    try {
      await navigator.clipboard.writeText(location.href);
      status.textContent = ": copied";
    } catch {
      status.textContent = ": copy it from the address bar";
    }
  };

  document.addEventListener("input", (event) => {
    if (event.target.matches(".facet-box")) narrow(event.target);
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy-address]");
    if (button) copyAddress(button);
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt } = event.detail;
    if (elt.id !== "q") return;
    const isPaste = elt.value.includes("\n") || elt.value.length > MOST_TYPED;
    // While a filter is being chosen, what is typed of it is no filter yet.
    if (isPaste || elt.form.querySelector(".completions[data-filters]:not([hidden])")) event.preventDefault();
  });
  // Only while it is captured does this event pass by here: it does not bubble.
  document.addEventListener("toggle", (event) => opened.set(event.target.id, event.target.open), true);
  document.addEventListener("htmx:afterSwap", prepare);
  prepare();
})();
