// Hands the theme that theme.js chose on to Swagger UI, which knows it as a class.
"use strict";

(() => {
  const root = document.documentElement;
  const follow = () => root.classList.toggle("dark-mode", root.dataset.bsTheme === "dark");

  follow();
  new MutationObserver(follow).observe(root, { attributeFilter: ["data-bs-theme"] });
})();
