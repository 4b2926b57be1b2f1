// The sheet of filters on a small screen stays open, where it was scrolled to, while filters are chosen in it.
"use strict";

(() => {
  let kept = null;
  const sheet = () => document.getElementById("filters");

  document.addEventListener("htmx:beforeSwap", () => {
    const isOpen = sheet()?.matches(":popover-open");
    kept = isOpen ? { scrolled: sheet().scrollTop, focused: document.activeElement.id } : null;
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (!kept || !sheet()) return;
    sheet().showPopover();
    sheet().scrollTop = kept.scrolled;
    // It could not be focused while the sheet was closed.
    document.getElementById(kept.focused)?.focus({ preventScroll: true });
  });
})();
