// Keeps what is typed into a page's forms until the server says that it has it: over another form that is sent, a
// reload, and a lost connection.
"use strict";

(() => {
  const SENT = `sent:${location.pathname}`;

  /** @param {string} name */
  const keyOf = (name) => `kept:${location.pathname}:${name}`;

  // What was sent is done with only where this page says that it was done.
  if (document.querySelector("#messages .notice-success")) {
    for (const name of JSON.parse(sessionStorage.getItem(SENT) ?? "[]")) sessionStorage.removeItem(keyOf(name));
  }
  sessionStorage.removeItem(SENT);

  for (const form of document.querySelectorAll("main form[method=post]")) {
    /** @type {HTMLTextAreaElement[]} */
    const boxes = [...form.querySelectorAll("textarea[name]")];
    for (const box of boxes) {
      const kept = sessionStorage.getItem(keyOf(box.name));
      if (kept && !box.value) {
        box.value = kept;
        box.closest("details")?.setAttribute("open", "");
      }
      box.addEventListener("input", () => sessionStorage.setItem(keyOf(box.name), box.value));
    }
    form.addEventListener("submit", () => sessionStorage.setItem(SENT, JSON.stringify(boxes.map((box) => box.name))));
  }
})();
