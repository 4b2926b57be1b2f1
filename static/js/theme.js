// Runs in the head, before anything is painted: marks that scripts work and sets the remembered or preferred theme.
// The button for it, and the menu of narrow screens, are in site.js.
"use strict";

(() => {
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");

  const remembered = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // storage may be forbidden; then the system decides
    }
  };

  const apply = () => {
    const chosen = remembered();
    const known = chosen === "light" || chosen === "dark";
    root.dataset.bsTheme = known ? chosen : prefersDark.matches ? "dark" : "light";
  };

  root.classList.add("js");
  apply();
  prefersDark.addEventListener("change", apply);
  addEventListener("storage", apply);
})();
