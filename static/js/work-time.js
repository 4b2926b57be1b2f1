// The time at work: while the page is seen and somebody acted within the last minute. And until when the issue is kept.
"use strict";

const workTime = (() => {
  const IDLE = 60_000;
  const HEARTBEAT_SECONDS = 60;
  const until = document.getElementById("kept-until");
  let seconds = Number(document.getElementById("ballot").elements.active.value);
  let acted = Date.now();
  let due = HEARTBEAT_SECONDS;

  /** @param {Date} time */
  const clock = (time) => time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

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

  /** So many seconds are on the server now, and the issue is kept anew. @param {number} sent */
  const spend = (sent) => {
    seconds -= sent;
    due = HEARTBEAT_SECONDS;
    extend();
  };

  /** Is it time to send it? Told once a minute, whether or not sending succeeds. */
  const isDue = () => {
    if (seconds < due) return false;
    due = seconds + HEARTBEAT_SECONDS;
    return true;
  };

  setInterval(() => {
    if (!document.hidden && Date.now() - acted <= IDLE) seconds += 1;
  }, 1000);
  setInterval(showUntil, 30_000);
  for (const name of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "scroll"]) {
    document.addEventListener(name, () => (acted = Date.now()), { capture: true, passive: true });
  }
  showUntil();

  return { clock, spend, isDue, seconds: () => seconds };
})();
