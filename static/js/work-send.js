// Sends what the ballot says to the server, with the token that it wants, and says on the page how that went.
"use strict";

const workSend = (() => {
  const ballot = document.getElementById("ballot");
  const state = document.getElementById("save-state");
  const status = document.getElementById("work-status");
  const { csrfmiddlewaretoken: token } = ballot.elements;

  // Logging in again, in another tab, gives a new token.
  const renew = () => {
    token.value = document.cookie.match(/(?:^|; )(?:__Host-)?csrftoken=([^;]+)/)?.[1] ?? token.value;
  };

  /** @param {[string, string][]} values */
  const body = (values) => {
    renew();
    return new URLSearchParams([...values, ["csrfmiddlewaretoken", token.value]]);
  };

  /** @param {string} address @param {[string, string][]} values */
  const post = (address, values) =>
    fetch(address, {
      method: "POST",
      body: body(values),
      headers: { Accept: "application/json" },
      redirect: "manual",
      keepalive: document.hidden,
    });

  /** Nobody reads the answer. @param {string} address @param {[string, string][]} values */
  const beacon = (address, values) => navigator.sendBeacon(address, body(values));

  /** @param {...(string | Node)} parts */
  const say = (...parts) => state.replaceChildren(...parts);

  /** Say it aloud too: what is saved as it should be is no news. @param {...(string | Node)} parts */
  const warn = (...parts) => {
    say(...parts);
    status.textContent = state.textContent;
  };

  const loginLink = () => {
    const link = document.createElement("a");
    Object.assign(link, { href: ballot.dataset.login, target: "_blank", textContent: "log in again" });
    return link;
  };

  return { renew, post, beacon, say, warn, loginLink };
})();
