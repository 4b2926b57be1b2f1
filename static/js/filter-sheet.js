// The sheet of filters on a small screen stays open, where it was scrolled to, while filters are chosen in it.
"use strict";

(() => {
  let scrolled = null;
  const sheet = () => document.getElementById("filters");

  document.addEventListener("htmx:beforeSwap", () => {
    scrolled = sheet()?.matches(":popover-open") ? sheet().scrollTop : null;
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (scrolled === null || !sheet()) return;
    const focused = document.activeElement;
    sheet().showPopover();
    sheet().scrollTop = scrolled;
    focused?.focus({ preventScroll: true });
  });
})();
