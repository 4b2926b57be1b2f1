// Hands the theme that theme.js chose on to Swagger UI, which knows it as a class, and tells screen readers what
// Swagger UI does not tell them itself.
"use strict";

(() => {
  const root = document.documentElement;
  const follow = () => root.classList.toggle("dark-mode", root.dataset.bsTheme === "dark");

  const each = (selector, change) => document.querySelectorAll(selector).forEach(change);
  const give = (name, value) => (element) => element.setAttribute(name, value);
  const repair = () => {
    each(".information-container", give("role", "region"));
    each(".information-container", give("aria-label", "About this API"));
    // They are drawn a level too deep.
    each(".opblock-tag, .models > h4", give("aria-level", "2"));
    each(".opblock-body h4", give("aria-level", "3"));
    each(".opblock-body h5", give("aria-level", "4"));
    each(".opblock-body pre", give("tabindex", "0"));
    each(".opblock-body select", (choice) => {
      const parameter = choice.closest("[data-param-name]")?.dataset.paramName;
      choice.setAttribute("aria-label", choice.matches(".examples-select-element") ? "Example" : parameter ?? "Choice");
    });
  };

  follow();
  new MutationObserver(follow).observe(root, { attributeFilter: ["data-bs-theme"] });
  addEventListener("DOMContentLoaded", () => {
    new MutationObserver(repair).observe(document.getElementById("swagger-ui"), { childList: true, subtree: true });
  });
})();
