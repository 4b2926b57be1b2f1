// Keeps what is filled in: on the server a moment after every change, in this browser until it is there, and once more
// when the page is left. Counts the time at work: while the page is seen and somebody acted within the last minute.
"use strict";

(() => {
  const PAUSE = 1000;
  const RETRY = 15_000;
  const IDLE = 60_000;
  const HEARTBEAT_SECONDS = 60;
  const NOT_KEPT = new Set(["csrfmiddlewaretoken", "revision", "active", "quotation", "quotation-axis"]);

  const ballot = document.getElementById("ballot");
  const state = document.getElementById("save-state");
  const status = document.getElementById("work-status");
  const notice = document.getElementById("kept");
  const until = document.getElementById("kept-until");
  const { revision, active, csrfmiddlewaretoken: token } = ballot.elements;
  const key = `draft:${ballot.dataset.member}:${ballot.getAttribute("action")}`;
  let last = "";
  let changes = 0;
  let saved = 0;
  let seconds = Number(active.value);
  let acted = Date.now();
  let timer = 0;
  let isStopped = false;
  let isLeaving = false;
  /** @type {Promise<void> | null} */
  let saving = null;

  /** @param {Date} time */
  const clock = (time) => time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

  /** @param {...(string | Node)} parts */
  const say = (...parts) => state.replaceChildren(...parts);

  /** Say it aloud too: what is saved as it should be is no news. @param {...(string | Node)} parts */
  const warn = (...parts) => {
    say(...parts);
    status.textContent = state.textContent;
  };

  /** @param {string} text @param {() => void} act */
  const button = (text, act) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", className: "plain-button", textContent: text });
    made.addEventListener("click", act);
    return made;
  };

  const entries = () => [...new FormData(ballot)].filter(([name]) => !NOT_KEPT.has(name));

  // This browser's copy

  const keep = (isSent = false) => {
    try {
      localStorage.setItem(key, JSON.stringify({ entries: entries(), base: revision.value, at: Date.now(), isSent }));
    } catch {
      // full or forbidden: the server's copy remains
    }
  };

  /** @param {string} [which] */
  const forget = (which = key) => {
    try {
      localStorage.removeItem(which);
    } catch {
      // nothing was kept
    }
  };

  const kept = () => {
    try {
      return JSON.parse(localStorage.getItem(key) ?? "null");
    } catch {
      return null;
    }
  };

  /** Fill the form in anew. @param {[string, string][]} values */
  const fill = (values) => {
    const byName = new Map();
    for (const [name, value] of values) byName.set(name, [...(byName.get(name) ?? []), value]);
    for (const field of ballot.elements) {
      if (!field.name || NOT_KEPT.has(field.name)) continue;
      const wanted = byName.get(field.name) ?? [];
      if (field.type === "radio" || field.type === "checkbox") field.checked = wanted.includes(field.value);
      else if (field.matches("textarea")) field.value = wanted[0] ?? "";
    }
    for (const value of byName.get("evidence") ?? []) {
      const [part, start, end, axis] = value.split(":");
      if ([...ballot.querySelectorAll("[name=evidence]")].some((input) => input.value === value)) continue;
      const axisName = ballot.querySelector(`#axis-${CSS.escape(axis || "none")} .axis-name`)?.lastChild.textContent.trim() ?? "";
      const detail = { passage: { part, start: Number(start), end: Number(end) }, axis, axisName };
      document.dispatchEvent(new CustomEvent("work:passage", { detail }));
    }
    document.dispatchEvent(new CustomEvent("work:filled"));
  };

  // Saving

  const cookieToken = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];

  const body = () => {
    // Logging in again, in another tab, gives a new token.
    token.value = cookieToken() ?? token.value;
    const data = new URLSearchParams(entries());
    data.set("csrfmiddlewaretoken", token.value);
    data.set("revision", revision.value);
    data.set("active", String(Math.round(seconds)));
    return data;
  };

  const loginLink = () => {
    const link = document.createElement("a");
    Object.assign(link, { href: ballot.dataset.login, target: "_blank", textContent: "log in again" });
    return link;
  };

  /** @param {string} words */
  const conflict = (words) => {
    isStopped = true;
    keep();
    warn("Not saved: see above");
    notice.hidden = false;
    notice.replaceChildren(
      `${words} What you filled in here is kept in this browser and offered to you then. `,
      button("Load it again", () => {
        isLeaving = true;
        location.reload();
      }),
    );
    notice.scrollIntoView({ block: "nearest" });
  };

  /** @param {Response} response @param {{changes: number, seconds: number}} sent */
  const take = async (response, sent) => {
    if (response.ok) {
      revision.value = (await response.json()).revision;
      saved = sent.changes;
      seconds -= sent.seconds;
      if (saved === changes) forget();
      else keep();
      say(`Saved ${clock(new Date())}`);
      extend();
    } else if (response.status === 409) conflict(await response.text());
    else if (response.type === "opaqueredirect" || response.status === 403) {
      warn("Not saved, but kept in this browser: you are logged out. In another tab, ", loginLink(), ", then go on here.");
      later(RETRY);
    } else throw new Error(String(response.status));
  };

  const save = async () => {
    clearTimeout(timer);
    if (isStopped || isLeaving) return;
    if (saving) {
      await saving;
      if (saved === changes) return;
    }
    const sent = { changes, seconds: Math.round(seconds) };
    const options = { method: "POST", body: body(), headers: { Accept: "application/json" }, redirect: "manual", keepalive: document.hidden };
    say("Saving…");
    saving = fetch(ballot.dataset.draft, options)
      .then((response) => take(response, sent))
      .catch(() => {
        warn("Not saved, but kept in this browser: there is no connection. It is tried again.");
        later(RETRY);
      })
      .finally(() => {
        saving = null;
      });
    await saving;
    if (saved !== changes && !isStopped) later(PAUSE);
  };

  /** @param {number} wait */
  const later = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(save, wait);
  };

  const changed = () => {
    // A field that is left reports once more what it said while it was typed.
    const now = JSON.stringify(entries());
    if (now === last) return;
    last = now;
    changes += 1;
    keep();
    say("Not saved yet");
    if (!isStopped) later(PAUSE);
  };

  // Time, and how long the issue is kept

  const tick = () => {
    if (document.hidden || Date.now() - acted > IDLE) return;
    seconds += 1;
    if (seconds >= HEARTBEAT_SECONDS && !saving) save();
  };

  const showUntil = () => {
    if (!until) return;
    const time = new Date(until.dateTime);
    until.textContent = time < new Date() ? `${clock(time)}: that has passed, and others may take it; work on, and it is kept again` : clock(time);
  };

  const extend = () => {
    if (!until) return;
    until.dateTime = new Date(Date.now() + Number(until.dataset.minutes) * 60_000).toISOString();
    showUntil();
  };

  // Coming and going

  const leave = () => {
    if (isLeaving || isStopped || (saved === changes && seconds < 5)) return;
    isLeaving = true;
    navigator.sendBeacon(ballot.dataset.draft, body());
  };

  /** @param {SubmitEvent} event */
  const submit = async (event) => {
    clearTimeout(timer);
    if (saving) {
      // The vote must know the revision that is just being saved.
      event.preventDefault();
      const { submitter } = event;
      await saving;
      if (!isStopped) ballot.requestSubmit(submitter);
      return;
    }
    token.value = cookieToken() ?? token.value;
    active.value = String(Math.round(seconds));
    keep(true);
    isLeaving = true;
  };

  const offer = () => {
    const mine = kept();
    if (!mine || JSON.stringify(mine.entries) === JSON.stringify(entries())) return forget();
    // It was sent as a form, and it came to be the next revision.
    if (mine.isSent && Number(mine.base) + 1 === Number(revision.value)) return forget();
    const at = clock(new Date(mine.at));
    const before = entries();
    const use = () => {
      fill(mine.entries);
      notice.replaceChildren(`What you filled in at ${at} is back. `, button("Undo", undo));
      changed();
    };
    const undo = () => {
      fill(before);
      notice.hidden = true;
      changed();
    };
    notice.hidden = false;
    // Nobody has saved since: it is simply the newest.
    if (mine.base === revision.value) return use();
    notice.replaceChildren(
      `This browser has something that was not saved, of ${at}; what is below was saved later, elsewhere. `,
      button("Use what is here in the browser", use), " ",
      button("Forget it", () => {
        forget();
        notice.hidden = true;
      }),
    );
  };

  for (const name of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "scroll"]) {
    document.addEventListener(name, () => (acted = Date.now()), { capture: true, passive: true });
  }
  ballot.addEventListener("input", changed);
  ballot.addEventListener("change", changed);
  ballot.addEventListener("submit", submit);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    save();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && saved !== changes) save();
  });
  addEventListener("pagehide", leave);
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  addEventListener("online", () => saved !== changes && save());
  setInterval(tick, 1000);
  setInterval(showUntil, 30_000);

  document.getElementById("save-draft").hidden = true;
  for (const voted of document.querySelectorAll("[data-voted]")) forget(`draft:${ballot.dataset.member}:${voted.dataset.voted}`);
  showUntil();
  // A ballot that came back from the server is not a draft yet.
  if ("faulty" in ballot.dataset) changed();
  else {
    last = JSON.stringify(entries());
    offer();
  }
})();
