// The search box on every page: Enter searches, Shift+Enter breaks the line, the box grows, `/` and Ctrl+K lead to it.
// A long text is sent beside the address, not in it; a file that is dropped, and a longer paste, too, or to the diagnosis.
"use strict";

(() => {
  // A longer address can neither be shared nor kept by every server on its way.
  const MOST_IN_ADDRESS = 4_000;
  // What the box takes; more is a file for the diagnosis.
  const MOST_IN_BOX = 100_000;
  const PASTED = "pasted.log";
  const growsItself = CSS.supports("field-sizing", "content");

  const isField = (element) => element.matches?.("input, textarea, select, [contenteditable]");
  const isShown = (element) => element?.checkVisibility?.() ?? Boolean(element?.offsetParent);

  const grow = (box) => {
    if (growsItself) return;
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight + 2}px`;
  };

  const noteOf = (form) => {
    const known = form.querySelector(".box-note");
    if (known) return known;
    const note = document.createElement("p");
    note.className = "box-note";
    note.setAttribute("role", "status");
    form.append(note);
    return note;
  };

  // A short text goes into the address, which can be shared; a long one is sent beside it.
  const chooseMethod = (event) => {
    const form = event.target;
    if (!form.matches(".search-box, .draft")) return;
    const token = form.elements.csrfmiddlewaretoken;
    if (token) token.disabled = true;
    const isShort = new URLSearchParams(new FormData(form)).toString().length < MOST_IN_ADDRESS;
    form.method = isShort ? "get" : "post";
    if (token) token.disabled = isShort;
  };

  // The diagnosis takes files of any size, with the token of its own form.
  const diagnose = async (file, form) => {
    const note = noteOf(form);
    note.textContent = "Sending it to the diagnosis …";
    try {
      const page = new DOMParser().parseFromString(await (await fetch(form.dataset.diagnose)).text(), "text/html");
      const theirs = document.adoptNode(page.getElementById("diagnose-form"));
      const chosen = new DataTransfer();
      chosen.items.add(file);
      theirs.elements.file.files = chosen.files;
      theirs.hidden = true;
      document.body.append(theirs);
      HTMLFormElement.prototype.submit.call(theirs);
    } catch {
      note.textContent = "It could not be sent. Open Diagnose and choose the file there.";
    }
  };

  const takeFile = async (file, form) => {
    const text = file.size <= MOST_IN_BOX ? await file.text() : "";
    // Anything but text is for the diagnosis, which knows archives.
    if (!text.trim() || text.includes("\u0000") || text.includes("\uFFFD")) return diagnose(file, form);
    const box = form.querySelector(".search-text");
    box.value = text;
    form.requestSubmit();
  };

  const lead = (event) => {
    if (document.querySelector("dialog[open]")) return;
    const boxes = [...document.querySelectorAll(".search-text")];
    // On narrow screens the box may be in the menu.
    if (!boxes.some(isShown)) document.querySelector("#menu-button[aria-expanded=false]")?.click();
    const box = boxes.find(isShown);
    if (!box) return;
    event.preventDefault();
    box.focus();
    box.select();
  };

  const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;
  const isShortcut = (event) =>
    (event.key === "/" && !isField(event.target) && !hasModifier(event)) ||
    (event.key.toLowerCase() === "k" && event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey);

  document.addEventListener("submit", chooseMethod);
  document.addEventListener("input", (event) => {
    if (event.target.matches(".search-text")) grow(event.target);
  });
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (isShortcut(event)) return lead(event);
    if (event.defaultPrevented || event.isComposing || !target.matches(".search-text")) return;
    if (event.key === "Escape") target.blur();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    target.form.requestSubmit();
  });
  document.addEventListener("paste", (event) => {
    const text = event.target.matches?.(".search-text") ? event.clipboardData.getData("text/plain") : "";
    if (text.length <= MOST_IN_BOX) return;
    event.preventDefault();
    diagnose(new File([text], PASTED), event.target.form);
  });

  // The link alone leads to an empty form.
  document.addEventListener("click", (event) => {
    const box = document.getElementById(event.target.closest?.("[data-diagnose-box]")?.dataset.diagnoseBox);
    if (!box?.value.trim() || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    diagnose(new File([box.value], PASTED), box.form);
  });

  const formOf = (event) => (event.dataTransfer?.types.includes("Files") ? event.target.closest?.(".search-box") : null);
  document.addEventListener("dragover", (event) => {
    const form = formOf(event);
    if (!form) return;
    event.preventDefault();
    form.classList.add("is-over");
  });
  document.addEventListener("dragleave", (event) => {
    const form = event.target.closest?.(".search-box");
    if (form && !form.contains(event.relatedTarget)) form.classList.remove("is-over");
  });
  document.addEventListener("drop", (event) => {
    const form = formOf(event);
    if (!form) return;
    event.preventDefault();
    form.classList.remove("is-over");
    takeFile(event.dataTransfer.files[0], form);
  });
  document.querySelectorAll(".search-text").forEach(grow);
})();
