// What the answers mean, beside them: the round's guidelines and codebook are fetched once per tab and version, shown
// for the answer under the cursor or with the focus, and searched by the axes' boxes. Without it, a link leads there.
"use strict";

(() => {
  const ballot = document.getElementById("ballot");
  const panel = document.getElementById("side-note");
  const { guide: address, guideVersion: version } = ballot.dataset;
  /** @type {Document | null} */
  let known = null;
  let shown = "";

  const fetchText = async () => {
    const key = `guide:${address}:${version}`;
    try {
      const kept = sessionStorage.getItem(key);
      if (kept) return kept;
    } catch {
      // nothing is kept where storage is forbidden
    }
    const response = await fetch(address, { redirect: "error" });
    if (!response.ok) throw new Error(String(response.status));
    const text = await response.text();
    try {
      sessionStorage.setItem(key, text);
    } catch {
      // too large, or forbidden: it is fetched again
    }
    return text;
  };

  const closer = () => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain-button";
    button.textContent = "Close";
    button.addEventListener("click", hide);
    return button;
  };

  const hide = () => {
    panel.hidden = true;
    shown = "";
  };

  /** @param {HTMLInputElement} input */
  const show = (input) => {
    if (shown === input.id) return;
    const choice = input.closest(".choice");
    const section = known?.getElementById(input.id);
    const meaning = section ? [...section.cloneNode(true).childNodes] : bare(choice);
    if (!meaning.length) return hide();
    shown = input.id;
    panel.replaceChildren(closer(), ...meaning);
    panel.scrollTop = 0;
    panel.hidden = false;
  };

  /** As much as the page itself knows. @param {Element} choice */
  const bare = (choice) => {
    const definition = choice.querySelector("details > p");
    if (!definition) return [];
    const name = document.createElement("h3");
    name.textContent = choice.querySelector("label").lastChild.textContent;
    return [name, definition.textContent];
  };

  const prepare = async () => {
    try {
      known = new DOMParser().parseFromString(await fetchText(), "text/html");
    } catch {
      return; // definitions are on the page; the link leads to the rest
    }
    const guidelines = known.getElementById("guidelines");
    if (guidelines) {
      const text = document.importNode(guidelines, true);
      text.querySelector("h2")?.remove();
      document.getElementById("work-guide-text").replaceChildren(...text.childNodes);
    }
    for (const choice of ballot.querySelectorAll(".choice[data-code]")) {
      const aliases = known.getElementById(choice.firstElementChild.id)?.dataset.aliases;
      if (aliases) choice.dataset.aliases = aliases;
    }
  };

  /** @param {Event} event */
  const meet = (event) => {
    const input = event.target.closest?.(".choice")?.firstElementChild;
    if (input) show(input);
  };

  ballot.addEventListener("focusin", meet);
  ballot.addEventListener("mouseover", meet);
  document.addEventListener("work:shown", (event) => show(event.detail));
  document.addEventListener("work:axis", hide);
  prepare();
})();
