// Offers below every search box while somebody types: how a filter goes on, and pages to open, in groups. The focus stays
// in the box; the arrows choose, Enter takes, Esc closes. Without it, filters are typed in full and words are searched.
"use strict";

(() => {
  const DELAY = 120;
  const SHORTEST = 2;
  const LONGEST = 200;
  // The server counts characters, scripts count halves of some of them.
  const count = (text) => [...text].length;
  const place = (text, characters) => [...text].slice(0, characters).join("").length;
  const known = new Map();

  const part = (name, className, text = "") => {
    const element = document.createElement(name);
    if (className) element.className = className;
    element.textContent = text;
    return element;
  };

  const offer = (box) => {
    const list = part("div", "completions");
    const status = part("p", "visually-hidden");
    let entries = [];
    let askedFor = 0;
    let active = -1;
    let timer = 0;
    let asked = 0;

    const options = () => [...list.querySelectorAll("[role=option]")];

    const choose = (index) => {
      active = index;
      const all = options();
      all.forEach((option, at) => option.setAttribute("aria-selected", String(at === active)));
      all[active]?.scrollIntoView({ block: "nearest" });
      if (all[active]) box.setAttribute("aria-activedescendant", all[active].id);
      else box.removeAttribute("aria-activedescendant");
    };

    const close = () => {
      asked += 1;
      clearTimeout(timer);
      entries = [];
      list.hidden = true;
      list.replaceChildren();
      choose(-1);
      status.textContent = "";
    };

    const optionOf = ({ insert, name, note }) => {
      const option = part("li", "completion");
      option.setAttribute("role", "option");
      if (insert) option.append(part("code", "", insert));
      option.append(part("span", "completion-name", name));
      if (note) option.append(part("span", "completion-note", note));
      return option;
    };

    const groupOf = ({ name, offers }) => {
      const group = part("ul", "completion-group");
      const heading = part("li", "completion-heading", name);
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", name);
      heading.setAttribute("aria-hidden", "true");
      group.append(heading, ...offers.map(optionOf));
      return group;
    };

    const show = ({ completions, groups }, characters) => {
      const filters = completions.length ? [{ name: "Filters", offers: completions }] : [];
      const all = [...filters, ...groups];
      if (!all.length) return close();
      entries = all.flatMap((group) => group.offers);
      askedFor = characters;
      list.replaceChildren(...all.map(groupOf));
      options().forEach((option, at) => (option.id = `${list.id}-${at}`));
      // While a filter is being chosen, what is typed of it is no filter yet.
      list.toggleAttribute("data-filters", completions.length > 0);
      list.hidden = false;
      choose(-1);
      status.textContent = `${entries.length} suggestion${entries.length === 1 ? "" : "s"}. Arrow keys choose, Enter takes.`;
    };

    const take = (index) => {
      const { insert, start, end, url } = entries[index];
      if (url) return location.assign(url);
      const text = box.value;
      const from = place(text, start);
      // What was typed after they were asked for is still a part of what they replace.
      const until = place(text, Math.max(start, end + count(text) - askedFor));
      // A key waits for its value; behind a value, the next word may follow.
      const gap = insert.endsWith(":") || /^\s/.test(text.slice(until)) ? "" : " ";
      close();
      box.setRangeText(insert + gap, from, until, "end");
      box.dispatchEvent(new Event("input", { bubbles: true }));
    };

    const fetchFor = async (text, caret) => {
      const address = new URL(box.dataset.suggest, location);
      address.searchParams.set("text", text);
      address.searchParams.set("caret", caret);
      if (!known.has(address.href)) {
        const response = await fetch(address);
        if (!response.ok) return { completions: [], groups: [] };
        known.set(address.href, await response.json());
      }
      return known.get(address.href);
    };

    const ask = async () => {
      const mine = (asked += 1);
      const text = box.value;
      if (text.trim().length < SHORTEST || text.length > LONGEST || text.includes("\n")) return close();
      let found = { completions: [], groups: [] };
      try {
        found = await fetchFor(text, count(text.slice(0, box.selectionStart)));
      } catch {
        // The connection is gone: nothing is offered.
      }
      if (mine === asked && document.activeElement === box) show(found, count(text));
    };

    const keys = {
      ArrowDown: () => choose((active + 1) % entries.length),
      ArrowUp: () => choose((active <= 0 ? entries.length : active) - 1),
      Escape: close,
      Enter: () => take(active),
      Tab: () => take(active),
    };

    const press = (event) => {
      if (list.hidden || event.isComposing || event.shiftKey || !keys[event.key]) return;
      // Without a choice, Enter searches and Tab leaves; Tab opens no page.
      const leaves = active < 0 || (event.key === "Tab" && entries[active].url);
      if (leaves && (event.key === "Enter" || event.key === "Tab")) return close();
      event.preventDefault();
      event.stopPropagation();
      keys[event.key]();
    };

    list.id = `${box.id}-offers`;
    list.hidden = true;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Suggestions");
    // No role: pages have a status of their own, which is the one that tells what came of an action.
    status.setAttribute("aria-live", "polite");
    box.form.append(list, status);
    box.setAttribute("aria-autocomplete", "list");
    box.setAttribute("aria-controls", list.id);
    box.setAttribute("aria-haspopup", "listbox");

    box.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(ask, DELAY);
    });
    // Before the box's own keys: a taken suggestion is no search.
    box.addEventListener("keydown", press);
    box.addEventListener("blur", close);
    box.form.addEventListener("submit", close);
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) take(options().indexOf(option));
    });
  };

  document.querySelectorAll(".search-text").forEach(offer);
})();
