// Takes what an assisted ballot suggests on an axis: by its button, or by `=` on the open axis. Nothing is taken by itself.
"use strict";

(() => {
  /** @param {HTMLButtonElement} button */
  const take = (button) => {
    const axis = button.closest(".axis");
    const words = button.dataset.words;
    const text = axis.querySelector(".answer-text");
    if (words && text) {
      text.value = words;
      text.dispatchEvent(new Event("input", { bubbles: true }));
      return;
    }
    // None stands for: the report does not say.
    const codes = button.dataset.suggested ? button.dataset.suggested.split(" ") : [""];
    const inputs = [...axis.querySelectorAll(".choice > input")];
    for (const input of inputs) input.checked = codes.includes(input.value);
    const taken = inputs.find((input) => input.checked);
    taken?.dispatchEvent(new Event("change", { bubbles: true }));
    document.getElementById("work-status").textContent = "The suggestion is taken.";
  };

  for (const button of document.querySelectorAll("[data-suggested]")) {
    button.hidden = false;
    button.addEventListener("click", () => take(button));
  }
  document.addEventListener("work:key", (event) => {
    const button = document.querySelector(".axis.is-active [data-suggested]");
    if (event.detail.key !== "=" || !button) return;
    take(button);
    event.preventDefault();
  });
})();
