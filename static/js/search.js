// Small comforts of the search page: boxes that narrow a facet's list, and lists that stay open after a choice.
// The page does all else without it.
"use strict";

(() => {
  const opened = new Map();

  const prepare = () => {
    for (const list of document.querySelectorAll("#filters details")) {
      if (opened.has(list.id)) list.open = opened.get(list.id);
    }
    for (const box of document.querySelectorAll(".facet-box")) box.hidden = false;
  };

  const narrow = (box) => {
    const wanted = box.value.trim().toLowerCase();
    for (const row of box.parentElement.querySelectorAll("li")) {
      row.hidden = !row.querySelector(".facet-name").textContent.toLowerCase().includes(wanted);
    }
  };

  document.addEventListener("input", (event) => {
    if (event.target.matches(".facet-box")) narrow(event.target);
  });
  // Only while it is captured does this event pass by here: it does not bubble.
  document.addEventListener("toggle", (event) => opened.set(event.target.id, event.target.open), true);
  document.addEventListener("htmx:afterSwap", prepare);
  prepare();
})();
