// The boxes that are in no draft: a quotation becomes evidence, which is; why the issue is passed on is sent at once.
// Until then both are kept for this tab.
"use strict";

const workQuotation = (() => {
  const ballot = document.getElementById("ballot");
  const status = document.getElementById("work-status");
  const box = document.getElementById("quotation");
  const axis = document.getElementById("quotation-axis");
  const help = document.getElementById("quotation-help");

  /** @param {HTMLInputElement | HTMLTextAreaElement} field */
  const keyOf = (field) => `typed:${ballot.getAttribute("action")}:${field.id}`;
  /** @param {HTMLInputElement | HTMLTextAreaElement} field */
  const keep = (field) => {
    try {
      sessionStorage.setItem(keyOf(field), field.value);
    } catch {
      // full or forbidden
    }
  };

  const isPending = () => box.value.trim() !== "";

  /** Where the server finds the words, or why it does not. */
  const found = async () => {
    try {
      const response = await workSend.post(ballot.dataset.quotation, [["quotation", box.value], ["quotation-axis", axis.value]]);
      if (response.ok || response.status === 409) return await response.json();
    } catch {
      // said below
    }
    return { reason: "Not attached: there is no connection, or you are logged out. Try again." };
  };

  /** Attach the words as evidence; resolves to whether they are. */
  const attach = async () => {
    const told = await found();
    if (told.reason) {
      help.textContent = told.reason;
      status.textContent = told.reason;
      box.closest("details").open = true;
      return false;
    }
    workVersions.attach([told.evidence]);
    box.value = "";
    keep(box);
    box.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  };

  for (const field of [box, document.getElementById("pass-reason")]) {
    try {
      field.value ||= sessionStorage.getItem(keyOf(field)) ?? "";
    } catch {
      // nothing is kept
    }
    if (field.value) field.closest("details").open = true;
    field.addEventListener("input", () => keep(field));
  }

  return { isPending, attach };
})();
