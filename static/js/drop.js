// Files can be dropped on `[data-drop]`: they go into the field for files within it. Without scripts the field is there.
"use strict";

(() => {
  const zoneOf = (event) => event.target.closest?.("[data-drop]");
  document.addEventListener("dragover", (event) => {
    const zone = zoneOf(event);
    if (!zone) return;
    event.preventDefault();
    zone.classList.add("is-over");
  });
  document.addEventListener("dragleave", (event) => zoneOf(event)?.classList.remove("is-over"));
  document.addEventListener("drop", (event) => {
    const zone = zoneOf(event);
    if (!zone || !event.dataTransfer.files.length) return;
    event.preventDefault();
    zone.classList.remove("is-over");
    zone.querySelector("[type=file]").files = event.dataTransfer.files;
  });
})();
