// Turns a list of which several are chosen into chips with a box that finds the others as one types. The list keeps
// what is chosen and is sent; without scripts it is all there is.
"use strict";

(() => {
  const SHOWN = 8;

  const folded = (text) => text.toLowerCase().replace(/[\s_-]+/g, " ").trim();

  const made = (name, className, text = "") => {
    const element = document.createElement(name);
    element.className = className;
    element.textContent = text;
    return element;
  };

  const enhance = (select) => {
    const most = Number(select.dataset.pick);
    const label = select.labels[0];
    const pick = made("div", "pick");
    const chips = made("ul", "chips");
    const box = made("input", "form-control");
    const list = made("ul", "completions");
    const status = made("p", "visually-hidden");
    let options = [];
    let active = -1;

    const chosen = () => [...select.options].filter((option) => option.selected);

    const mark = (index) => {
      active = index;
      [...list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === active)));
      if (list.children[active]) box.setAttribute("aria-activedescendant", list.children[active].id);
      else box.removeAttribute("aria-activedescendant");
      list.children[active]?.scrollIntoView({ block: "nearest" });
    };

    const close = () => {
      options = [];
      list.hidden = true;
      list.replaceChildren();
      box.setAttribute("aria-expanded", "false");
      mark(-1);
    };

    const show = () => {
      const words = folded(box.value);
      const fits = (option) => !option.selected && folded(`${option.text} ${option.value}`).includes(words);
      const starts = (option) => folded(option.text).startsWith(words);
      options = chosen().length < most ? [...select.options].filter(fits) : [];
      options.sort((one, other) => starts(other) - starts(one));
      options = options.slice(0, SHOWN);
      list.replaceChildren(
        ...options.map((option, place) => {
          const item = made("li", "completion", option.text);
          item.id = `${select.id}-option-${place}`;
          item.setAttribute("role", "option");
          return item;
        }),
      );
      list.hidden = !options.length;
      box.setAttribute("aria-expanded", String(!list.hidden));
      mark(words && options.length ? 0 : -1);
      if (chosen().length >= most) status.textContent = `No more than ${most} can be chosen.`;
      else status.textContent = options.length ? `${options.length} offered. Arrow keys choose, Enter takes.` : "Nothing fits.";
    };

    const draw = () => {
      chips.replaceChildren(
        ...chosen().map((option) => {
          const item = document.createElement("li");
          const remove = made("button", "chip", `${option.text} ×`);
          remove.type = "button";
          remove.setAttribute("aria-label", `Remove ${option.text}`);
          remove.addEventListener("click", () => {
            option.selected = false;
            draw();
            box.focus();
          });
          item.append(remove);
          return item;
        }),
      );
    };

    const take = (place) => {
      if (!options[place]) return;
      const option = options[place];
      option.selected = true;
      box.value = "";
      draw();
      close();
      status.textContent = `${option.text} is chosen.`;
    };

    const keys = {
      ArrowDown: () => (list.hidden ? show() : mark((active + 1) % options.length)),
      ArrowUp: () => mark((active <= 0 ? options.length : active) - 1),
      Enter: () => take(active),
      Escape: close,
    };

    box.id = `${select.id}-box`;
    box.type = "text";
    box.autocomplete = "off";
    box.placeholder = select.dataset.pickOne;
    list.id = `${select.id}-list`;
    // A list that scrolls would be a stop of Tab of its own.
    list.tabIndex = -1;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", label.textContent);
    box.setAttribute("role", "combobox");
    box.setAttribute("aria-autocomplete", "list");
    box.setAttribute("aria-controls", list.id);
    status.setAttribute("aria-live", "polite");
    label.htmlFor = box.id;
    select.hidden = true;
    pick.append(chips, box, list, status);
    select.before(pick);
    close();
    draw();

    box.addEventListener("input", show);
    box.addEventListener("focus", show);
    box.addEventListener("blur", close);
    box.addEventListener("keydown", (event) => {
      if (event.isComposing || !keys[event.key]) return;
      // Enter sends the form when nothing is typed or marked.
      if (event.key === "Enter" && active < 0 && !box.value) return;
      event.preventDefault();
      keys[event.key]();
    });
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => take([...list.children].indexOf(event.target.closest(".completion"))));
  };

  document.querySelectorAll("[data-pick]").forEach(enhance);
})();
