// Saves what is filled in: a moment after every change, when the page is left, and before it is submitted. The server
// answers with the hash of what it holds; until then this browser keeps a copy (work-copies.js). Time is sent apart.
"use strict";

(() => {
  const PAUSE = 1000;
  const RETRY = 15_000;
  const LEAST_SECONDS = 5;
  const { button, entries, fill, hush, offer, tell } = workVersions;
  const { loginLink, say, warn } = workSend;
  const { clock } = workTime;

  const ballot = document.getElementById("ballot");
  const state = document.getElementById("save-state");
  const { bases: basesField, active } = ballot.elements;
  const prefix = workCopies.prefixOf(ballot.dataset.member, ballot.getAttribute("action"));
  let key = workCopies.newKey(prefix);
  let bases = basesField.value.split(" ").filter(Boolean);
  // Sent by a page that was left: it may come late, so it stays among the bases.
  /** @type {string[]} */
  let late = [];
  // The form as it is, and as the server has it; "" while that is not known.
  let typed = "";
  let stored = "";
  let isKept = false;
  let timer = 0;
  let isStopped = false;
  let isLeaving = false;
  let isSubmitting = false;
  /** @type {Promise<void> | null} */
  let sending = null;

  const keep = () => {
    isKept = workCopies.write(key, { entries: entries(), bases, at: Date.now() });
    return isKept;
  };

  // Another page of this browser took the copy over, or the server answered it there.
  const isTakenOver = () => isKept && !workCopies.all(prefix).some((copy) => copy.key === key);

  /** @param {number} wait */
  const later = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(save, wait);
  };

  const changed = () => {
    // A field that is left reports once more what it said while it was typed.
    const now = JSON.stringify(entries());
    if (now === typed) return;
    typed = now;
    // Whoever types is here still, whatever became of submitting.
    isLeaving = false;
    keep();
    if (isStopped) return;
    say("Not saved yet");
    later(PAUSE);
  };

  /** Show what the server holds; nobody's words stand against it. @param {{entries: [string, string][], hash: string}} held */
  const follow = (held) => {
    fill(held.entries);
    bases = [held.hash, ...late];
    typed = stored = JSON.stringify(entries());
  };

  // Versions that were changed apart

  /** @param {string} words @param {object[]} versions @param {object} shown @param {string} hash what the server holds */
  const choose = (words, versions, shown, hash) => {
    isStopped = true;
    warn("Not saved: see above");
    /** @param {{entries: [string, string][], key: string, bases: string[]}} version */
    const show = (version) => {
      ({ key, bases } = version);
      fill(version.entries);
      typed = JSON.stringify(entries());
    };
    /** @param {object} chosen */
    const end = (chosen) => {
      isStopped = false;
      hush();
      bases = [hash];
      for (const one of versions) if (one !== chosen) workCopies.remove(one.key);
      stored = workCopies.hashOf(entries()) === hash ? typed : "";
      if (typed === stored) {
        workCopies.settle(prefix, hash);
        say("Saved");
      } else {
        keep();
        save();
      }
    };
    offer(words, versions, shown, { show, choose: end });
  };

  /** @param {string} name @param {{entries: [string, string][], hash: string}} held */
  const asVersion = (name, held) => ({ ...held, name, key: workCopies.newKey(prefix), bases: [held.hash] });

  /** @param {{reason: string, hash?: string, entries?: [string, string][]}} told */
  const refused = (told) => {
    const before = entries();
    if (!told.entries) {
      isStopped = true;
      keep();
      warn("Not saved: see above");
      return tell(`${told.reason} What you filled in here is kept in this browser.`);
    }
    if (isTakenOver()) {
      follow(told);
      say("");
      return tell("Another tab continued from here; this is what it saved. ", button("Undo", () => restore(before)));
    }
    keep();
    const mine = { name: "Filled in here", entries: before, key, bases };
    choose(told.reason, [mine, asVersion("Saved there", told)], mine, told.hash);
  };

  /** @param {[string, string][]} before */
  const restore = (before) => {
    hush();
    fill(before);
    changed();
  };

  // Sending

  /** @returns {[string, string]} */
  const time = () => ["active", String(Math.round(workTime.seconds()))];

  const draft = () => [...entries(), ["bases", bases.join(" ")], time()];

  /** @param {Response} response @param {string} sent @param {string[]} replaced */
  const takeSaved = async (response, sent, replaced) => {
    const { hash } = await response.json();
    bases = [hash, ...late];
    stored = sent;
    workCopies.noteSaved(prefix, hash, replaced);
    workCopies.settle(prefix, hash);
    if (workCopies.hashOf(JSON.parse(sent)) === hash) say(`Saved ${clock(new Date())}`);
    else warn("Saved in part; all of it is kept in this browser.");
    if (typed === stored) return;
    keep();
    say("Not saved yet");
    later(PAUSE);
  };

  /** @param {string} address @param {[string, string][]} values the time comes last */
  const send = async (address, values) => {
    const response = await workSend.post(address, values);
    if (response.ok) workTime.spend(Number(values.at(-1)[1]));
    else if (response.status === 409) refused(await response.json());
    else if (response.type === "opaqueredirect" || response.status === 403) {
      warn("Kept in this browser only: you are logged out. In another tab, ", loginLink(), ", then continue here.");
    } else throw new Error(String(response.status));
    return response;
  };

  /** One request after the other. @param {() => Promise<void>} ask */
  const inTurn = async (ask) => {
    while (sending) await sending;
    if (isStopped || isLeaving) return;
    sending = ask().finally(() => {
      sending = null;
    });
    await sending;
  };

  const save = () =>
    inTurn(async () => {
      clearTimeout(timer);
      if (typed === stored) return say("Saved");
      const sent = typed;
      const data = draft();
      const hash = workCopies.hashOf(JSON.parse(sent));
      const replaced = bases;
      // From here on the server may hold it, whether or not an answer comes.
      stored = "";
      if (!bases.includes(hash)) bases = [...bases, hash];
      if (!isTakenOver()) keep();
      say("Saving…");
      try {
        const response = await send(ballot.dataset.draft, data);
        if (response.ok) await takeSaved(response, sent, replaced);
        else if (response.status !== 409) later(RETRY);
      } catch {
        warn("Not saved, but kept in this browser: there is no connection. It is tried again.");
        later(RETRY);
      }
    });

  const tick = () => {
    // Time that does not get through is sent with what comes next.
    if (isStopped || sending || typed !== stored || !workTime.isDue()) return;
    inTurn(() => send(ballot.dataset.time, [time()]).catch(() => {}));
  };

  // Coming and going

  const leave = () => {
    if (isLeaving || isStopped) return;
    isLeaving = true;
    if (typed !== stored) workSend.beacon(ballot.dataset.draft, draft());
    else if (workTime.seconds() >= LEAST_SECONDS) workSend.beacon(ballot.dataset.time, [time()]);
  };

  /** The page is left only with everything on the server. @param {HTMLElement | null} submitter */
  const saveThenSubmit = async (submitter) => {
    isSubmitting = true;
    const isAttached = !workQuotation.isPending() || (await workQuotation.attach());
    await save();
    isSubmitting = false;
    if (!isAttached) return warn("Not submitted: the quotation could not be attached.");
    if (typed === stored) ballot.requestSubmit(submitter);
    else if (!isStopped) warn("Not submitted. ", ...state.childNodes);
  };

  /** @param {SubmitEvent} event */
  const submit = (event) => {
    const isAttaching = event.submitter?.hasAttribute("formaction");
    if (isStopped || isSubmitting || isAttaching || sending || typed !== stored || workQuotation.isPending()) event.preventDefault();
    if (isStopped) return document.getElementById("kept").scrollIntoView({ block: "nearest" });
    if (isSubmitting) return;
    if (isAttaching) return workQuotation.attach();
    if (event.defaultPrevented) return saveThenSubmit(event.submitter);
    clearTimeout(timer);
    workSend.renew();
    active.value = time()[1];
    basesField.value = bases.join(" ");
    isLeaving = true;
  };

  /** Go on with what a page that was left had not sent. @param {{entries: [string, string][], key: string, hash: string, bases: string[], at: number}} copy */
  const goOn = (copy) => {
    const before = entries();
    fill(copy.entries);
    late = [copy.hash];
    bases = [...copy.bases, ...late];
    typed = JSON.stringify(entries());
    if (copy.key !== key) {
      if (keep()) workCopies.remove(copy.key);
      tell(`What you filled in at ${clock(new Date(copy.at))} is back. `, button("Undo", () => restore(before)));
    }
    save();
  };

  const begin = () => {
    const isFaulty = "faulty" in ballot.dataset;
    // On other ways to a page nothing is filled in by the browser: what is, somebody chose before this script ran.
    const isAgain = ["back_forward", "reload"].includes(performance.getEntriesByType("navigation")[0]?.type);
    if (!isFaulty && isAgain) workVersions.asSent();
    const here = entries();
    const inFile = document.getElementById("work-kept");
    if (!isFaulty && workCopies.isReplaced(prefix, ballot.dataset.kept)) return location.reload();
    const held = { entries: inFile ? JSON.parse(inFile.textContent) : here, hash: ballot.dataset.kept };
    typed = JSON.stringify(here);
    stored = workCopies.hashOf(here) === held.hash ? typed : "";
    if ("outdated" in ballot.dataset) bases = [];
    // What was chosen before this script ran, or came back from the server, is not a draft yet.
    if (typed !== stored) keep();
    workCopies.settle(prefix, held.hash);
    const copies = workCopies.all(prefix);
    if (!copies.length) return;
    const isSafe = copies.every((copy) => copy.bases.includes(held.hash));
    if (copies.length === 1 && isSafe) return goOn(copies[0]);
    const named = copies.map((copy) => ({ ...copy, name: `This browser, ${clock(new Date(copy.at))}` }));
    const versions = isSafe ? named : [...named, asVersion("Saved", held)];
    const shown = versions.find((one) => (isFaulty ? one.key === key : one.hash === held.hash)) ?? versions[0];
    if (shown.key !== key) fill(shown.entries);
    ({ key, bases } = shown);
    document.getElementById("refused")?.remove();
    choose("This ballot was changed in two places.", versions, shown, held.hash);
  };

  ballot.addEventListener("input", changed);
  ballot.addEventListener("change", changed);
  ballot.addEventListener("submit", submit);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    save();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && typed !== stored) save();
  });
  addEventListener("pagehide", leave);
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    isLeaving = false;
    // Without a connection there is nothing newer to be had.
    if (navigator.onLine) location.reload();
  });
  addEventListener("online", () => typed !== stored && save());
  setInterval(tick, 1000);

  document.getElementById("save-draft").hidden = true;
  begin();
})();
