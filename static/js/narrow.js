// A box that narrows a long list of answers as one types: the words stand in an answer's name, code, aliases or
// definition. Arrows point, Enter takes what is pointed at, Escape shows all again.
"use strict";

/**
 * @typedef {object} Narrowed
 * @property {Element} list The box is put before it.
 * @property {HTMLElement[]} choices Each has an input; `data-code` and `data-aliases` are searched, too.
 * @property {string} title What the list is of.
 * @property {(choice: Element) => string} nameOf
 * @property {(text: string) => void} say
 * @property {(choice: Element | null) => void} take
 */

/** @param {Narrowed} narrowed */
const narrowBox = ({ list, choices, title, nameOf, say, take }) => {
  const box = document.createElement("input");

  const pointed = () => choices.find((choice) => choice.classList.contains("is-first"));

  /** @param {Element} choice */
  const wordsOf = (choice) =>
    `${choice.dataset.code ?? ""} ${choice.dataset.aliases ?? ""} ${choice.textContent}`.toLowerCase();

  /** @param {Element | null | undefined} choice */
  const point = (choice) => {
    pointed()?.classList.remove("is-first");
    if (!choice) return;
    choice.classList.add("is-first");
    choice.scrollIntoView({ block: "nearest" });
    document.dispatchEvent(new CustomEvent("work:shown", { detail: choice.querySelector("input") }));
  };

  const narrow = () => {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const choice of choices) {
      const words = wordsOf(choice);
      choice.hidden = !wanted.every((word) => words.includes(word));
    }
    // What begins with the words is meant rather than what mentions them.
    const shown = choices.filter((choice) => !choice.hidden);
    const first = shown.find((choice) => nameOf(choice).toLowerCase().startsWith(wanted.join(" "))) ?? shown[0];
    point(wanted.length ? first : null);
    if (wanted.length) say(`${shown.length} found${first ? `, first: ${nameOf(first)}` : ""}`);
  };

  /** @param {number} step */
  const pointOn = (step) => {
    const shown = choices.filter((choice) => !choice.hidden);
    const next = shown[(shown.indexOf(pointed()) + step + shown.length) % shown.length];
    point(next);
    if (next) say(nameOf(next));
  };

  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.isComposing) return;
    if (event.key === "ArrowDown") pointOn(1);
    else if (event.key === "ArrowUp") pointOn(-1);
    else if (event.key === "Enter") {
      const choice = pointed();
      box.value = "";
      narrow();
      take(choice ?? null);
    } else if (event.key === "Escape") {
      box.value = "";
      narrow();
      return;
    } else return;
    event.preventDefault();
  };

  box.type = "search";
  box.className = "form-control axis-filter";
  box.placeholder = "Type to narrow: /";
  box.autocomplete = "off";
  box.setAttribute("aria-label", `Narrow: ${title}`);
  box.addEventListener("input", (event) => {
    event.stopPropagation();
    narrow();
  });
  box.addEventListener("change", (event) => event.stopPropagation());
  box.addEventListener("keydown", press);
  list.before(box);
};
