// Open codes on the labeling page: a code and its memo become a line of the answer's box, which alone is sent. Enter adds; the browser
// completes from the reader's own codes.
"use strict";

(() => {
  for (const row of document.querySelectorAll("[data-add-code]")) {
    const box = row.closest(".axis").querySelector(".answer-text");
    const words = row.querySelector("[data-code-words]");
    const memo = row.querySelector("[data-code-memo]");
    const status = document.getElementById("work-status");

    const add = () => {
      const code = words.value.replaceAll("|", " ").trim();
      if (code) {
        const line = memo.value.trim() ? `${code} | ${memo.value.trim()}` : code;
        box.value = box.value.trim() ? `${box.value.trimEnd()}\n${line}` : line;
        for (const name of ["input", "change"]) box.dispatchEvent(new Event(name, { bubbles: true }));
        words.value = memo.value = "";
        status.textContent = `${code}: added`;
      }
      words.focus();
    };

    row.querySelector("button").addEventListener("click", add);
    row.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey || !event.target.matches("input")) return;
      event.preventDefault();
      add();
    });
    row.hidden = false;
  }
})();
