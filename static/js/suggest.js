// Offers keys and values of filters below the search box while they are typed. The focus stays in the box; the arrows
// choose, Enter or Tab takes, Esc closes. Without it, filters are typed in full.
"use strict";

(() => {
  const DELAY = 120;
  // A filter's value, or at least two letters that may become a key.
  const MAY_BE_FILTER = /(?:^|\s)-?(?:[A-Za-z_]+:\S*|[A-Za-z_]+:(?:[^\s,]*,)*-?"[^"]*|[A-Za-z_]{2,})$/;
  const LONGEST = 500;

  const box = document.getElementById("q");
  const list = document.createElement("ul");
  const status = document.createElement("p");
  const known = new Map();
  let completions = [];
  let askedFor = 0;
  let active = -1;
  let timer = 0;
  let asked = 0;

  // The server counts characters, scripts count halves of some of them.
  const count = (text) => [...text].length;
  const place = (text, characters) => [...text].slice(0, characters).join("").length;

  const say = (text) => {
    status.textContent = text;
  };

  const choose = (index) => {
    active = index;
    [...list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === active)));
    const option = list.children[active];
    option?.scrollIntoView({ block: "nearest" });
    if (option) box.setAttribute("aria-activedescendant", option.id);
    else box.removeAttribute("aria-activedescendant");
  };

  const close = () => {
    asked += 1;
    clearTimeout(timer);
    completions = [];
    list.hidden = true;
    list.replaceChildren();
    choose(-1);
    say("");
  };

  const part = (name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    element.textContent = text;
    return element;
  };

  const optionOf = (completion, index) => {
    const option = part("li", "completion", "");
    option.id = `completion-${index}`;
    option.setAttribute("role", "option");
    option.append(part("code", "", completion.insert), part("span", "", completion.name));
    if (completion.note) option.append(part("span", "completion-note", completion.note));
    return option;
  };

  const show = (found, characters) => {
    if (!found.length) return close();
    completions = found;
    askedFor = characters;
    list.replaceChildren(...found.map(optionOf));
    list.hidden = false;
    choose(-1);
    say(`${found.length} suggestion${found.length === 1 ? "" : "s"}. Arrow keys choose, Enter takes.`);
  };

  const take = (index) => {
    const { insert, start, end } = completions[index];
    const text = box.value;
    const from = place(text, start);
    // What was typed after they were asked for is still a part of what they replace.
    const until = place(text, Math.max(start, end + count(text) - askedFor));
    const rest = text.slice(until);
    // A key waits for its value; behind a value, the next word may follow.
    const gap = insert.endsWith(":") || /^\s/.test(rest) ? "" : " ";
    close();
    box.setRangeText(insert + gap, from, until, "end");
    box.dispatchEvent(new Event("input", { bubbles: true }));
  };

  const fetchFor = async (text, caret) => {
    const address = `${box.dataset.suggest}?${new URLSearchParams({ text, caret })}`;
    if (!known.has(address)) {
      const response = await fetch(address);
      if (!response.ok) return [];
      known.set(address, (await response.json()).completions);
    }
    return known.get(address);
  };

  const ask = async () => {
    const mine = (asked += 1);
    const before = box.value.slice(0, box.selectionStart);
    if (box.value.length > LONGEST || box.value.includes("\n") || !MAY_BE_FILTER.test(before)) return close();
    let found = [];
    const characters = count(box.value);
    try {
      found = await fetchFor(box.value, count(before));
    } catch {
      // The connection is gone: nothing is offered.
    }
    if (mine === asked && document.activeElement === box) show(found, characters);
  };

  const keys = {
    ArrowDown: () => choose((active + 1) % completions.length),
    ArrowUp: () => choose((active <= 0 ? completions.length : active) - 1),
    Escape: close,
    Enter: () => take(active),
    Tab: () => take(active),
  };

  const press = (event) => {
    if (list.hidden || event.isComposing || event.shiftKey || !keys[event.key]) return;
    // Without a choice, Enter searches and Tab leaves.
    if (active < 0 && (event.key === "Enter" || event.key === "Tab")) return close();
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  };

  list.id = "completions";
  list.className = "completions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Filters");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
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
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest(".completion");
    if (option) take([...list.children].indexOf(option));
  });
})();
