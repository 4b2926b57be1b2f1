// On the page of an issue that is not to be labelled now: what this browser keeps of it and the server never had.
"use strict";

(() => {
  const section = document.getElementById("unsent");
  const { member, ballot, voted } = section.dataset;
  const prefix = workCopies.prefixOf(member, ballot);

  /** @param {{entries: [string, string][], at: number, key: string}} copy */
  const show = (copy) => {
    const list = document.createElement("ul");
    for (const [name, value] of copy.entries) {
      if (!value) continue;
      const line = document.createElement("li");
      line.textContent = `${name.replace(/^(axis|text)-/, "")}: ${value}`;
      list.append(line);
    }
    const forget = document.createElement("button");
    Object.assign(forget, { type: "button", className: "plain-button", textContent: "Forget it" });
    forget.addEventListener("click", () => {
      workCopies.remove(copy.key);
      list.remove();
      forget.remove();
      section.hidden = !section.querySelector("ul");
    });
    section.append(list, forget);
    section.hidden = false;
  };

  if (voted) workCopies.settle(prefix, voted);
  workCopies.all(prefix).forEach(show);
})();
