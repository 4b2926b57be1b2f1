// Keys by which a voter stays with an answer or takes another's. They never act while somebody types, nor together with
// another key; they mean the question that has the focus, else the first one that waits for the reader.
"use strict";

(() => {
  const choose = () =>
    document.activeElement?.closest(".panel")?.querySelector(".choose") ??
    document.querySelector(".choose[data-asked]") ??
    document.querySelector(".choose");

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open]")) return;
    const button = [...(choose()?.querySelectorAll("[data-press]") ?? [])].find((one) => one.dataset.press === event.key);
    if (!button) return;
    event.preventDefault();
    button.form.requestSubmit(button);
  });
})();
