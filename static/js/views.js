// Views that a reader keeps in this browser: a name and the page's address. Saved, opened, renamed, deleted, brought back.
"use strict";

(() => {
  const KEY = "explore-views";
  const MOST_VIEWS = 50;
  let removed = null;

  const read = () => {
    try {
      const views = JSON.parse(localStorage.getItem(KEY) ?? "[]");
      return Array.isArray(views) ? views.filter((view) => typeof view?.name === "string" && typeof view?.query === "string") : [];
    } catch {
      return [];
    }
  };

  const made = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  const say = (text, undo) => {
    const line = document.getElementById("views-undo");
    line.textContent = text;
    if (!undo) return;
    const button = made("button", "Undo", { type: "button", class: "link-button" });
    button.addEventListener("click", undo);
    line.append(" ", button);
  };

  const keep = (views) => {
    try {
      localStorage.setItem(KEY, JSON.stringify(views));
      return true;
    } catch {
      say("This browser keeps nothing for sites, so the view was not saved. Keep its address instead.");
      return false;
    }
  };

  const bringBack = () => {
    const views = read();
    views.splice(removed.place, 0, removed.view);
    if (keep(views)) list();
    say(`“${removed.view.name}” is back.`);
  };

  const remove = (place) => {
    const views = read();
    const [view] = views.splice(place, 1);
    removed = { place, view };
    if (!keep(views)) return;
    list();
    say(`“${view.name}” deleted.`, bringBack);
    document.querySelector("#views-undo button").focus();
  };

  const rename = (place, row) => {
    const view = read()[place];
    const form = made("form", "", { class: "views-form" });
    const box = made("input", "", { class: "form-control form-control-sm", maxlength: "80", required: "", "aria-label": `New name of ${view.name}` });
    box.value = view.name;
    form.append(box, made("button", "Rename", { type: "submit", class: "btn btn-primary btn-sm" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const views = read();
      views[place] = { ...view, name: box.value.trim() || view.name };
      if (keep(views)) list();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      list();
    });
    row.replaceChildren(form);
    box.select();
  };

  const rowOf = (view, place) => {
    const row = document.createElement("li");
    const link = made("a", view.name, { href: `${location.pathname}${view.query}` });
    if (view.query === location.search) link.setAttribute("aria-current", "page");
    const change = made("button", "Rename", { type: "button", class: "link-button", "aria-label": `Rename ${view.name}` });
    const drop = made("button", "Delete", { type: "button", class: "link-button", "aria-label": `Delete ${view.name}` });
    change.addEventListener("click", () => rename(place, row));
    drop.addEventListener("click", () => remove(place));
    row.append(link, change, drop);
    return row;
  };

  const list = () => {
    const box = document.getElementById("views");
    if (!box) return;
    box.hidden = false;
    const views = read();
    document.getElementById("views-list").replaceChildren(...views.map(rowOf));
    document.getElementById("views-note").hidden = views.length > 0;
    document.getElementById("views-count").textContent = views.length ? `(${views.length})` : "";
  };

  document.addEventListener("submit", (event) => {
    if (event.target.id !== "views-form") return;
    event.preventDefault();
    const box = document.getElementById("view-name");
    const name = box.value.trim();
    if (!name) return;
    const others = read().filter((view) => view.name !== name);
    if (others.length >= MOST_VIEWS) {
      say(`${MOST_VIEWS} views are saved already: delete one first.`);
      return;
    }
    if (!keep([...others, { name, query: location.search }])) return;
    box.value = "";
    list();
    say(`“${name}” saved.`);
  });
  // Another click or Escape closes an open box.
  document.addEventListener("click", (event) => {
    for (const box of document.querySelectorAll(".views-box[open]")) box.open = event.composedPath().includes(box);
  });
  document.addEventListener("keydown", (event) => {
    const box = event.key === "Escape" && document.querySelector(".views-box[open]");
    if (!box) return;
    box.open = false;
    box.querySelector("summary").focus();
  });
  addEventListener("storage", list);
  document.addEventListener("explore:shown", list);
  list();
})();
