// The axes of the labeling page: one is open at a time, letters and arrows lead to it, numbers choose in it, typing
// narrows it, or answers it where the answer is a number or a text. Chosen answers stand in its head; rules across axes show as soon as they are broken.
"use strict";

(() => {
  // Longer lists can be narrowed; short ones of one answer go on by themselves once a key chose it. In lists of ten and more, a second digit may follow within this time.
  const SHORT_LIST = 9;
  const SECOND_DIGIT = 700;
  const SHOWN_TEXT = 80;

  const ballot = document.getElementById("ballot");
  const status = document.getElementById("work-status");
  const answered = document.querySelector("[data-answered]");
  const rules = JSON.parse(document.getElementById("work-rules").textContent);
  /** @type {HTMLDetailsElement[]} */
  const axes = [...ballot.querySelectorAll(".axis")];
  let active = axes[0];
  let digits = "";
  let timer = 0;

  /** @param {string} text */
  const say = (text) => {
    status.textContent = text;
  };

  /** @param {Element} axis */
  const inputs = (axis) => [...axis.querySelectorAll(".choice > input")];
  /** @param {Element} axis */
  const numbered = (axis) => inputs(axis).filter((input) => input.value);
  /** @param {Element} axis */
  const untold = (axis) => inputs(axis).find((input) => !input.value);
  /** The field of an axis that is answered in words. @param {Element} axis */
  const textOf = (axis) => axis.querySelector(".answer-text");
  /** @param {Element} axis */
  const isAnswered = (axis) => inputs(axis).some((input) => input.checked) || Boolean(textOf(axis)?.value.trim());
  /** @param {HTMLInputElement} input */
  const nameOf = (input) => input.nextElementSibling.lastChild.textContent.trim();
  /** @param {Element} axis */
  const titleOf = (axis) => axis.querySelector(".axis-name").lastChild.textContent.trim();

  /** One answer of a few: nothing is left to do there once it is chosen. @param {Element} axis */
  const isShort = (axis) => numbered(axis).length <= SHORT_LIST && inputs(axis)[0].type === "radio";

  /** Open an axis and close the others. @param {HTMLDetailsElement} axis */
  const activate = (axis, withFocus = true) => {
    // A number that still waits for its second digit is meant for the axis that it was typed in.
    takeWaiting();
    active = axis;
    for (const other of axes) {
      other.open = other === axis;
      other.classList.toggle("is-active", other === axis);
    }
    const isQuestion = axis.dataset.axis !== "confidence";
    ballot.dataset.axis = isQuestion ? axis.dataset.axis : "";
    ballot.dataset.axisName = isQuestion ? titleOf(axis) : "";
    document.dispatchEvent(new CustomEvent("work:axis"));
    if (!withFocus) return;
    const summary = axis.querySelector("summary");
    // Typing answers an axis that is answered in words.
    (axis.querySelector("[data-code-words]") ?? textOf(axis) ?? summary).focus({ preventScroll: true });
    summary.scrollIntoView({ block: "nearest" });
  };

  const summarise = () => {
    for (const axis of axes) {
      const chosen = inputs(axis).filter((input) => input.checked);
      const words = textOf(axis)?.value.replace(/\s+/g, " ").trim().slice(0, SHOWN_TEXT);
      axis.querySelector("[data-chosen]").textContent = words || chosen.map(nameOf).join(", ");
      if (isAnswered(axis)) axis.classList.remove("is-wrong");
    }
    const questions = axes.filter((axis) => axis.dataset.axis !== "confidence");
    answered.textContent = questions.filter(isAnswered).length;
  };

  const checkRules = () => {
    /** @param {string[]} node */
    const isChosen = ([axis, code]) =>
      [...ballot.elements].some((one) => one.name === `axis-${axis}` && one.value === code && one.checked);
    for (const rule of rules) {
      const block = ballot.querySelector(`[data-rule="${rule.id}"]`);
      const isBroken = isChosen(rule.when) && rule.others.some(isChosen) === (rule.kind === "excludes");
      if (isBroken && block.hidden) say(`${block.querySelector("label").textContent} Say why it is so all the same.`);
      block.hidden = !isBroken;
    }
  };

  /** Either answers, or that the report does not tell. @param {HTMLInputElement} input */
  const keepApart = (input) => {
    const axis = input.closest(".axis");
    if (axis && input === textOf(axis) && input.value.trim()) untold(axis).checked = false;
    if (axis && textOf(axis) && input.checked) textOf(axis).value = "";
    if (!axis || input.type !== "checkbox" || !input.checked) return;
    const others = input.value ? [untold(axis)] : numbered(axis);
    for (const other of others) other.checked = false;
  };

  /** @param {HTMLInputElement | undefined} input */
  const choose = (input) => {
    if (!input) return;
    input.checked = !input.checked;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    input.closest(".choice").scrollIntoView({ block: "nearest" });
    document.dispatchEvent(new CustomEvent("work:shown", { detail: input }));
    const axis = input.closest(".axis");
    if (input.checked && isShort(axis) && axis !== axes.at(-1)) activate(axes[axes.indexOf(axis) + 1]);
    say(`${nameOf(input)}: ${input.checked ? "chosen" : "taken off"}`);
  };

  const takeDigits = () => {
    clearTimeout(timer);
    const number = Number(digits);
    digits = "";
    choose(number ? numbered(active)[number - 1] : untold(active));
  };

  const takeWaiting = () => {
    if (digits) takeDigits();
  };

  /** @param {string} digit */
  const typeDigit = (digit) => {
    clearTimeout(timer);
    const most = numbered(active).length;
    if (Number(digits + digit) > most) digits = "";
    digits += digit;
    if (digits === "0" || Number(digits) * 10 > most) takeDigits();
    else {
      say(`${digits}…`);
      timer = setTimeout(takeDigits, SECOND_DIGIT);
    }
  };

  /** @param {number} step */
  const move = (step) => activate(axes[(axes.indexOf(active) + step + axes.length) % axes.length]);

  document.addEventListener("work:key", (event) => {
    const { key, target } = event.detail;
    const byLetter = axes.find((axis) => axis.dataset.letter === key);
    // Arrows move the text in a box of code that has the focus.
    if (key.startsWith("Arrow") && target.closest("pre")) return;
    if (/^\d$/.test(key)) typeDigit(key);
    else if (key === "Enter" && digits) takeDigits();
    else if (byLetter) activate(byLetter);
    else if (key === "ArrowRight") move(1);
    else if (key === "ArrowLeft") move(-1);
    else if (key === "/" && active.querySelector(".axis-filter")) active.querySelector(".axis-filter").focus();
    else return;
    event.preventDefault();
  });
  document.addEventListener("work:back", () => {
    activate(active);
    // Out of its text, so that keys lead elsewhere again.
    if (textOf(active)) active.querySelector("summary").focus({ preventScroll: true });
  });

  for (const axis of axes) {
    axis.querySelector("summary").addEventListener("click", (event) => {
      event.preventDefault();
      if (axis === active && axis.open) axis.open = false;
      else activate(axis, false);
    });
    if (numbered(axis).length <= SHORT_LIST) continue;
    narrowBox({
      list: axis.querySelector(".choices"),
      choices: [...axis.querySelectorAll(".choice")],
      title: titleOf(axis),
      nameOf: (choice) => nameOf(choice.firstElementChild),
      say,
      take: (choice) => {
        activate(active);
        choose(choice?.firstElementChild);
      },
    });
  }

  ballot.addEventListener("change", (event) => {
    keepApart(event.target);
    summarise();
    checkRules();
  });
  for (const axis of axes) {
    textOf(axis)?.addEventListener("input", (event) => {
      keepApart(event.target);
      summarise();
    });
    // Enter in a number leads on; it would submit the ballot.
    textOf(axis)?.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey || !textOf(axis).matches("input")) return;
      event.preventDefault();
      move(1);
    });
  }
  ballot.addEventListener("submit", takeWaiting, { capture: true });
  document.addEventListener("work:filled", () => {
    summarise();
    checkRules();
  });

  const wrong = axes.find((axis) => axis.classList.contains("is-wrong"));
  const open = axes.find((axis) => !isAnswered(axis));
  activate(wrong ?? open ?? axes[0], false);
  document.getElementById("faults")?.focus();
})();
