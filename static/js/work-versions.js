// The ballot as names and values, filled in anew, and the choice between versions that were changed apart.
"use strict";

const workVersions = (() => {
  const NOT_KEPT = new Set(["csrfmiddlewaretoken", "bases", "active", "quotation", "quotation-axis"]);
  const ballot = document.getElementById("ballot");
  const notice = document.getElementById("kept");

  const entries = () => [...new FormData(ballot)].filter(([name]) => !NOT_KEPT.has(name));

  /** @param {string} code */
  const axisName = (code) =>
    ballot.querySelector(`#axis-${CSS.escape(code || "none")} .axis-name`)?.lastChild.textContent.trim() ?? "";

  /** @param {[string, string][]} values */
  const byName = (values) => {
    const found = new Map();
    for (const [name, value] of values) found.set(name, [...(found.get(name) ?? []), value]);
    return found;
  };

  /** Add the passages that are not there yet. @param {string[]} passages as the form carries them */
  const attach = (passages) => {
    for (const value of passages) {
      const [part, start, end, axis] = value.split(":");
      const same = [...ballot.querySelectorAll("[name=evidence]")].find((input) => input.value === value);
      if (same) {
        same.checked = true;
        continue;
      }
      const detail = { passage: { part, start: Number(start), end: Number(end) }, axis, axisName: axisName(axis) };
      document.dispatchEvent(new CustomEvent("work:passage", { detail }));
    }
    document.dispatchEvent(new CustomEvent("work:filled"));
  };

  /** @param {[string, string][]} values */
  const fill = (values) => {
    const wanted = byName(values);
    for (const field of ballot.elements) {
      if (!field.name || NOT_KEPT.has(field.name)) continue;
      const given = wanted.get(field.name) ?? [];
      if (field.type === "radio" || field.type === "checkbox") field.checked = given.includes(field.value);
      else if (field.matches("textarea, .answer-text")) field.value = given[0] ?? "";
    }
    attach(wanted.get("evidence") ?? []);
  };

  /** What a browser filled in by itself, as on the way back, may be older than what it keeps in copies. */
  const asSent = () => {
    const { quotation } = ballot.elements;
    const words = quotation.value;
    ballot.reset();
    quotation.value = words;
    document.dispatchEvent(new CustomEvent("work:filled"));
  };

  /** @param {string} name */
  const titleOf = (name) => {
    if (name.startsWith("rule-")) return "Reasons";
    const [first, ...rest] = name.replace(/^(axis|text)-/, "");
    return axisName(name.replace(/^(axis|text)-/, "")) || first.toUpperCase() + rest.join("");
  };

  /** Where versions say something else. @param {{entries: [string, string][]}[]} versions */
  const differences = (versions) => {
    const fields = versions.map((version) => byName(version.entries));
    /** @param {string} name @param {Map<string, string[]>} field */
    const said = (name, field) => JSON.stringify((field.get(name) ?? []).filter((value) => value || name.startsWith("axis-")).sort());
    const names = [...new Set(fields.flatMap((field) => [...field.keys()]))];
    return [...new Set(names.filter((name) => new Set(fields.map((field) => said(name, field))).size > 1).map(titleOf))];
  };

  /** @param {string} text @param {() => void} act */
  const button = (text, act) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", className: "plain-button", textContent: text });
    made.addEventListener("click", act);
    return made;
  };

  /** @param {...(string | Node)} parts */
  const tell = (...parts) => {
    notice.hidden = false;
    notice.replaceChildren(...parts);
    notice.scrollIntoView({ block: "nearest" });
  };

  const hush = () => {
    notice.hidden = true;
  };

  /**
   * Let the person look at every version and choose one.
   * @param {string} words @param {{name: string, entries: [string, string][]}[]} versions
   * @param {object} shown the version that the form shows
   * @param {{show: (version: object) => void, choose: (version: object) => void}} act
   */
  const offer = (words, versions, shown, act) => {
    const marks = versions.map((version) =>
      button(version.name, () => {
        shown.entries = entries();
        shown = version;
        act.show(version);
        press();
      }),
    );
    const press = () => marks.forEach((mark, at) => mark.setAttribute("aria-pressed", String(versions[at] === shown)));
    const where = differences(versions).join(", ");
    tell(
      `${words} Nothing is lost: look at each version, then choose one. They differ in: ${where}. `,
      ...marks.flatMap((mark) => [mark, " "]),
      button("Use the version shown below", () => act.choose(shown)),
    );
    press();
  };

  return { entries, fill, attach, asSent, button, tell, hush, offer };
})();
