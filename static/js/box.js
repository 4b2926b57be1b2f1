// The search box on every page: Enter searches, Shift+Enter breaks the line, the box grows, `/` leads to it. An address
// cannot hold any length of text: a text that is too long is said to be, before a server refuses it.
"use strict";

(() => {
  const MOST_IN_ADDRESS = 60_000;
  const SHAREABLE_DRAFT = 4_000;
  const growsItself = CSS.supports("field-sizing", "content");

  const isField = (element) => element.matches?.("input, textarea, select, [contenteditable]");

  const grow = (box) => {
    if (growsItself) return;
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight + 2}px`;
  };

  const lengthInAddress = (form) => new URLSearchParams(new FormData(form)).toString().length;

  const noteOf = (form) => {
    const known = form.querySelector(".box-note");
    if (known) return known;
    const note = document.createElement("p");
    note.className = "box-note";
    note.setAttribute("role", "alert");
    form.after(note);
    return note;
  };

  const checkLength = (event) => {
    const form = event.target;
    if (form.matches(".draft")) {
      // A short draft goes into the address, which can be shared; a long one is sent beside it.
      const token = form.elements.csrfmiddlewaretoken;
      token.disabled = lengthInAddress(form) < SHAREABLE_DRAFT;
      form.method = token.disabled ? "get" : "post";
    }
    if (!form.matches(".search-box") || lengthInAddress(form) <= MOST_IN_ADDRESS) return;
    event.preventDefault();
    noteOf(form).textContent =
      "This text is too long for an address. Keep the lines that name the error, or give it to “Has this been reported?”.";
  };

  document.addEventListener("submit", checkLength);
  document.addEventListener("input", (event) => {
    if (event.target.matches(".search-text")) grow(event.target);
  });
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.key === "/" && !isField(target) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const box = document.querySelector(".search-text");
      if (!box || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      box.focus();
      box.select();
    }
    if (event.defaultPrevented || event.isComposing || !target.matches(".search-text")) return;
    if (event.key === "Escape") target.blur();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    target.form.requestSubmit();
  });
  document.querySelectorAll(".search-text").forEach(grow);
})();
