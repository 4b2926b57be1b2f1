// The keys of first opinions and decisions: numbers choose as on the ballot, letters take a vote's answer, a cause's
// number decides. Whatever else has a `data-key` is pressed by it.
"use strict";

(() => {
  // As on the ballot: in lists of ten and more, a second digit may follow within this time.
  const SHORT_LIST = 9;
  const SECOND_DIGIT = 700;

  const status = document.getElementById("work-status");
  /** @type {HTMLElement[]} */
  const panels = [...document.querySelectorAll(".panel")].filter((panel) => panel.matches("[data-asks], :has([data-key])"));
  const wrong = panels.find((panel) => panel.querySelector(".is-wrong"));
  const linked = panels.find((panel) => `#${panel.id}` === location.hash && panel.dataset.asks);
  let active = wrong ?? linked ?? panels.find((panel) => panel.dataset.asks) ?? panels[0];
  let digits = "";
  let timer = 0;

  /** @param {string} text */
  const say = (text) => {
    status.textContent = text;
  };

  /** @param {HTMLElement} panel @param {string} name @returns {HTMLInputElement[]} */
  const fields = (panel, name) => [...panel.querySelectorAll(`[name$="-${panel.dataset.asks}-${name}"]`)];
  /** @param {HTMLElement} panel */
  const answers = (panel) => fields(panel, "codes").filter((input) => input.value);
  /** @param {HTMLElement} panel */
  const untold = (panel) => fields(panel, "is_undecidable")[0];
  /** @param {HTMLInputElement} input */
  const nameOf = (input) => input.closest("label").lastChild.textContent.trim();

  /** The chosen answer, as the server writes it. @param {HTMLElement} panel */
  const answerOf = (panel) => {
    if (untold(panel).checked) return "?";
    const chosen = answers(panel).filter((input) => input.checked);
    return chosen.map((input) => input.value).sort().join(" ");
  };

  /** @param {HTMLElement} panel */
  const activate = (panel) => {
    takeWaiting();
    active = panel;
    for (const other of panels) other.classList.toggle("is-active", other === panel);
    const heading = panel.querySelector("h2");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView({ block: "nearest" });
  };

  /** @param {number} step */
  const move = (step) => activate(panels[(panels.indexOf(active) + step + panels.length) % panels.length]);

  /** Either answers, or that the report does not say. @param {HTMLElement} panel @param {HTMLInputElement} changed */
  const keepApart = (panel, changed) => {
    if (!changed.checked || !panel.dataset.asks) return;
    if (changed === untold(panel)) for (const input of fields(panel, "codes")) input.checked = false;
    else if (fields(panel, "codes").includes(changed)) untold(panel).checked = false;
  };

  /** @param {HTMLElement} panel @param {HTMLInputElement | undefined} input */
  const choose = (panel, input) => {
    if (!input) return;
    input.checked = !input.checked;
    keepApart(panel, input);
    input.scrollIntoView({ block: "nearest" });
    const isLast = panels.indexOf(panel) === panels.length - 1;
    const isDone = input.checked && (input.type === "radio" || input === untold(panel));
    say(`${nameOf(input)}: ${input.checked ? "chosen" : "taken off"}${isDone && isLast ? ". Enter saves." : ""}`);
    if (panel.dataset.asks === "opinion" && isDone && !isLast && answers(panel).length <= SHORT_LIST) move(1);
  };

  const takeDigits = () => {
    clearTimeout(timer);
    const number = Number(digits);
    digits = "";
    choose(active, number ? answers(active)[number - 1] : untold(active));
  };

  const takeWaiting = () => {
    if (digits) takeDigits();
  };

  /** @param {string} digit */
  const typeDigit = (digit) => {
    clearTimeout(timer);
    const most = answers(active).length;
    if (Number(digits + digit) > most) digits = "";
    digits += digit;
    if (digits === "0" || Number(digits) * 10 > most) takeDigits();
    else {
      say(`${digits}…`);
      timer = setTimeout(takeDigits, SECOND_DIGIT);
    }
  };

  /** Decide, or ask for the reason where one is needed. @param {HTMLElement} panel */
  const decide = (panel) => {
    const [reason] = fields(panel, "reason");
    if (answerOf(panel) === panel.dataset.plain || reason.value.trim()) {
      reason.form.requestSubmit();
      return;
    }
    reason.focus();
    say("Write the reason, then Ctrl and Enter decide.");
  };

  /** @param {string} digit */
  const chooseCause = (digit) => {
    const cause = fields(active, "cause")[Number(digit) - 1];
    if (!cause) return;
    cause.checked = true;
    decide(active);
  };

  const finish = () => {
    if (digits) takeDigits();
    else if (active.dataset.asks === "opinion") active.closest("form").requestSubmit();
    else if (fields(active, "cause").some((input) => input.checked)) decide(active);
    else say("Say why they differed: a number does.");
  };

  /** @param {HTMLElement} panel @param {string} codes */
  const take = (panel, codes) => {
    const wanted = codes.split(" ");
    for (const input of answers(panel)) input.checked = wanted.includes(input.value);
    untold(panel).checked = codes === "?";
    const chosen = [...answers(panel), untold(panel)].filter((input) => input.checked);
    say(`${chosen.map(nameOf).join(", ")}: chosen. A number says why they differed, and decides.`);
  };

  /** What a key presses: in the panel one is at, else outside of all. @param {string} key */
  const pressed = (key) => {
    const named = [...document.querySelectorAll("[data-key]")].filter((each) => each.dataset.key === key);
    return named.find((each) => active?.contains(each)) ?? named.find((each) => !each.closest(".panel"));
  };

  document.addEventListener("work:key", (event) => {
    const { key, target } = event.detail;
    const asks = active?.dataset.asks;
    const byLetter = panels.find((panel) => panel.dataset.letter === key);
    const button = pressed(key);
    if (asks === "opinion" && /^\d$/.test(key)) typeDigit(key);
    else if (asks === "decide" && /^[1-9]$/.test(key)) chooseCause(key);
    else if (asks && key === "Enter" && !target.closest("a, button, summary")) finish();
    else if (byLetter) activate(byLetter);
    else if (button) button.click();
    else if (asks === "decide" && key === "r") fields(active, "reason")[0].focus();
    else if (active && key === "ArrowRight") move(1);
    else if (active && key === "ArrowLeft") move(-1);
    else if (key === "/" && active?.querySelector(".axis-filter")) active.querySelector(".axis-filter").focus();
    else return;
    event.preventDefault();
  });
  document.addEventListener("work:back", () => active && activate(active));

  /** @param {HTMLInputElement[]} inputs */
  const number = (inputs) => {
    for (const [place, input] of inputs.entries()) {
      const key = document.createElement("kbd");
      key.ariaHidden = "true";
      key.textContent = String(place + 1);
      input.after(key, " ");
    }
  };

  /** @param {HTMLElement} panel */
  const prepare = (panel) => {
    panel.addEventListener("change", (event) => keepApart(panel, event.target));
    for (const button of panel.querySelectorAll("[data-codes]")) {
      button.hidden = false;
      button.addEventListener("click", () => take(panel, button.dataset.codes));
    }
    number(panel.dataset.asks === "opinion" ? answers(panel) : fields(panel, "cause"));
    const choices = answers(panel).map((input) => input.closest("div"));
    if (choices.length <= SHORT_LIST) return;
    for (const input of answers(panel)) input.closest("div").dataset.code = input.value;
    narrowBox({
      list: panel.querySelector(".choices:has([name$=-codes])"),
      choices,
      title: panel.querySelector("h2").textContent.trim(),
      nameOf: (choice) => nameOf(choice.querySelector("input")),
      say,
      take: (choice) => {
        activate(panel);
        choose(panel, choice?.querySelector("input"));
      },
    });
  };

  for (const panel of panels) if (panel.dataset.asks) prepare(panel);
  if (active) activate(active);
})();
