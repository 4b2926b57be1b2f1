// Keeps what is typed into a page's forms while another of them is sent: the page that comes back has it again.
"use strict";

(() => {
  /** @param {HTMLTextAreaElement} box */
  const keyOf = (box) => `kept:${location.pathname}:${box.name}`;

  for (const box of document.querySelectorAll("main form[method=post] textarea[name]")) {
    const kept = sessionStorage.getItem(keyOf(box));
    if (kept && !box.value) {
      box.value = kept;
      box.closest("details")?.setAttribute("open", "");
    }
    box.addEventListener("input", () => sessionStorage.setItem(keyOf(box), box.value));
    // A refused form comes back with its text from the server.
    box.form?.addEventListener("submit", () => sessionStorage.removeItem(keyOf(box)));
  }
})();
