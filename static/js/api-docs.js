// Starts Swagger UI, hands it the theme that theme.js chose, which it knows as a class, and tells screen readers what it
// does not tell them itself.
"use strict";

(() => {
  const root = document.documentElement;
  const place = document.getElementById("swagger-ui");

  const follow = () => root.classList.toggle("dark-mode", root.dataset.bsTheme === "dark");
  follow();
  new MutationObserver(follow).observe(root, { attributeFilter: ["data-bs-theme"] });

  const each = (selector, change) => place.querySelectorAll(selector).forEach(change);
  const give = (name, value) => (element) => element.setAttribute(name, value);
  const repair = () => {
    // They are drawn a level too deep, or too high below the page's own headings.
    each(".opblock-tag, .models > h4", give("aria-level", "3"));
    each(".opblock-body h4", give("aria-level", "4"));
    each(".opblock-body h5", give("aria-level", "5"));
    each(".opblock-body pre", give("tabindex", "0"));
    each(".opblock-body select", (choice) => {
      const parameter = choice.closest("[data-param-name]")?.dataset.paramName;
      choice.setAttribute("aria-label", choice.matches(".examples-select-element") ? "Example" : parameter ?? "Choice");
    });
  };
  new MutationObserver(repair).observe(place, { childList: true, subtree: true });

  // Its calls and schemas only: the page around it has a main element, and says what the description begins with.
  const calls = ({ React, getComponent }) => {
    const parts = () => ["operations", "Models"].map((name) => React.createElement(getComponent(name, true), { key: name }));
    return { components: { Calls: () => React.createElement("div", { className: "swagger-ui" }, parts()) } };
  };

  // Replaces references, all of which are local, by what they name. Swagger UI's own resolver works through the whole
  // description for each operation that is opened, and blocks the page for seconds.
  const inlined = (spec, part, within = []) => {
    if (Array.isArray(part)) return part.map((item) => inlined(spec, item, within));
    if (part === null || typeof part !== "object") return part;
    const { $ref: reference } = part;
    if (typeof reference === "string" && !within.includes(reference)) {
      const target = reference.split("/").slice(1).reduce((whole, key) => whole[key], spec);
      return inlined(spec, target, [...within, reference]);
    }
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, inlined(spec, value, within)]));
  };
  const resolve = (path) => ({ specActions, specSelectors }) => {
    const spec = specSelectors.specJson().toJS();
    const part = path.reduce((whole, key) => whole?.[key], spec);
    if (part) specActions.updateResolvedSubtree(path, inlined(spec, part));
  };
  const resolving = { statePlugins: { spec: { actions: { requestResolvedSubtree: resolve } } } };

  const draw = (spec) =>
    SwaggerUIBundle({
      spec,
      domNode: place,
      presets: [SwaggerUIBundle.presets.apis],
      plugins: [calls, resolving],
      layout: "Calls",
      // Links inside each operation's button are nothing that a screen reader could tell from one another.
      deepLinking: false,
      docExpansion: "list",
      defaultModelsExpandDepth: 0,
    });
  fetch(place.dataset.description)
    .then((response) => response.json())
    .then(draw);
})();
