// The keys of the pages where people label and settle. A single key becomes an event, `work:key`, and whoever has a use for it prevents its
// default. Keys never act while somebody types, and not at all where they are switched off (WCAG 2.1.4).
"use strict";

(() => {
  const STORED = "work-keys-off";
  const ballot = document.getElementById("ballot");
  const keys = document.getElementById("work-keys");
  const guide = document.getElementById("work-guide");
  const toggle = document.getElementById("keys-on");

  const stored = () => {
    try {
      return localStorage.getItem(STORED) === "yes";
    } catch {
      return false;
    }
  };

  const remember = () => {
    try {
      localStorage.setItem(STORED, toggle.checked ? "no" : "yes");
    } catch {
      // not remembered, but switched
    }
  };

  /** @param {Element} element */
  const takesText = (element) =>
    element.matches("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])");

  /** @param {string} id */
  const openAt = (id) => {
    const field = document.getElementById(id);
    const folded = field.closest("details");
    if (folded) folded.open = true;
    field.focus();
    field.scrollIntoView({ block: "nearest" });
  };

  const ofBallot = {
    g: () => guide.showModal(),
    n: () => openAt("note"),
    p: () => openAt("pass-reason"),
    w: () => openAt("text-words"),
    // Nothing happens where no vote can be taken back.
    u: () => document.querySelector(".receipt button")?.click(),
  };
  const actions = { "?": () => keys.showModal(), ...(ballot ? ofBallot : {}) };

  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const { target, key } = event;
    if (!(target instanceof Element) || event.isComposing || document.querySelector("dialog[open]")) return;
    if (key === "Enter" && (event.ctrlKey || event.metaKey) && target.id !== "text-words") {
      event.preventDefault();
      (ballot ?? target.closest("form"))?.requestSubmit();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (takesText(target)) {
      if (key === "Escape" && target.closest(".work, .panel")) document.dispatchEvent(new CustomEvent("work:back"));
      return;
    }
    if (!toggle.checked) return;
    const asked = new CustomEvent("work:key", { detail: { key, target }, cancelable: true });
    document.dispatchEvent(asked);
    if (!asked.defaultPrevented && !actions[key]) return;
    event.preventDefault();
    event.stopPropagation();
    if (!asked.defaultPrevented) actions[key]();
  };

  toggle.checked = !stored();
  toggle.addEventListener("change", remember);
  // Before the other keys of the site: `/` narrows an axis here.
  document.addEventListener("keydown", press, true);
  const opener = document.getElementById("keys-button");
  if (opener) {
    opener.hidden = false;
    opener.addEventListener("click", () => keys.showModal());
  }
  document.getElementById("guide-link")?.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    guide.showModal();
  });
})();
