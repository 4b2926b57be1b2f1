// The buttons in every page's head: the theme and, on narrow screens, the menu; the reader's own menu, which closes again.
// Copy buttons wherever they occur.
"use strict";

(() => {
  const root = document.documentElement;

  const themeButton = document.getElementById("theme-button");
  const showTheme = () => themeButton.setAttribute("aria-pressed", String(root.dataset.bsTheme === "dark"));
  themeButton.hidden = false;
  themeButton.addEventListener("click", () => {
    root.dataset.bsTheme = root.dataset.bsTheme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.bsTheme);
    } catch {
      // not remembered, but switched
    }
  });
  new MutationObserver(showTheme).observe(root, { attributeFilter: ["data-bs-theme"] });
  showTheme();

  const menuButton = document.getElementById("menu-button");
  const menu = document.getElementById("site-nav");
  const setMenu = (open) => {
    menu.classList.toggle("is-open", open);
    menuButton.setAttribute("aria-expanded", String(open));
  };
  menuButton.addEventListener("click", () => setMenu(!menu.classList.contains("is-open")));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    setMenu(false);
    menuButton.focus();
  });

  const reader = document.querySelector(".reader");
  document.addEventListener("click", (event) => {
    if (reader && !reader.contains(event.target)) reader.open = false;
  });
  reader?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    reader.open = false;
    reader.querySelector("summary").focus();
  });

  const copy = async (button) => {
    const source = document.getElementById(button.dataset.copies);
    const say = (text) => {
      button.querySelector("[role=status]").textContent = text;
    };
    try {
      await navigator.clipboard.writeText(source.textContent);
      say("Copied");
    } catch {
      getSelection().selectAllChildren(source);
      say("Selected: press Ctrl+C or ⌘C");
    }
  };
  const showCopyButtons = () => document.querySelectorAll("[data-copies]").forEach((button) => (button.hidden = false));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copies]");
    if (button) copy(button);
  });
  showCopyButtons();
})();
