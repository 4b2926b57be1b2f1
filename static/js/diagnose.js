// The form of the diagnosis: the log stays at hand for the viewer, a job is followed. Without scripts the form is sent,
// and a job's page looked at again, all the same.
"use strict";

(() => {
  const POLL_MS = 1_000;
  // A longer text is too much for a form's field, and goes as a file.
  const LONGEST_FIELD = 1_000_000;
  const PASTED = "pasted.log";
  let kept = [];

  const region = () => document.getElementById("diagnosis");
  const say = (text) => {
    const status = document.getElementById("diagnose-status");
    if (status) status.textContent = text;
  };

  const show = ({ isNew }) => {
    for (const button of document.querySelectorAll("[data-copies]")) button.hidden = false;
    document.dispatchEvent(new CustomEvent("diagnosis", { detail: { files: kept } }));
    if (isNew) {
      const heading = region().querySelector("h1");
      heading.tabIndex = -1;
      heading.focus();
      scrollTo(0, 0);
    }
    if (region().dataset.poll) setTimeout(poll, POLL_MS);
  };

  const take = (content, address) => {
    const answer = new DOMParser().parseFromString(content, "text/html");
    const found = answer.getElementById("diagnosis");
    if (!found) return false;
    const isStillGoing = region().dataset.poll && found.dataset.poll;
    if (isStillGoing) {
      region().querySelector("progress").value = found.querySelector("progress").value;
      region().querySelector("label").textContent = found.querySelector("label").textContent;
    } else {
      region().replaceWith(document.adoptNode(found));
      document.title = answer.title;
      if (address && new URL(address).pathname !== location.pathname) history.pushState({}, "", address);
    }
    show({ isNew: !isStillGoing });
    return true;
  };

  const poll = async () => {
    const { poll: address } = region().dataset;
    if (!address) return;
    try {
      const answer = await fetch(address);
      if (!take(await answer.text(), answer.url)) setTimeout(poll, 5 * POLL_MS);
    } catch {
      setTimeout(poll, 5 * POLL_MS);
    }
  };

  const send = (form) => {
    const sent = new FormData(form);
    const text = sent.get("text");
    const pasted = text.trim() ? [new File([text], PASTED)] : [];
    kept = [...sent.getAll("file").filter((file) => file.size), ...pasted];
    if (text.length > LONGEST_FIELD) {
      sent.set("text", "");
      sent.append("file", pasted[0]);
    }
    const button = form.querySelector("[type=submit]");
    const request = new XMLHttpRequest();
    const fail = (why) => {
      button.disabled = false;
      say(why);
    };
    request.open("POST", form.action);
    request.upload.addEventListener("progress", (event) => {
      const percent = Math.round((100 * event.loaded) / Math.max(event.total, 1));
      say(percent < 100 ? `${percent} % sent` : "Reading the log …");
    });
    request.addEventListener("load", () => {
      if (!take(request.responseText, request.responseURL)) fail("It was not taken. Reload the page and try again.");
    });
    request.addEventListener("error", () => fail("It could not be sent. Is the file too large, or the connection gone?"));
    button.disabled = true;
    say("Sending …");
    request.send(sent);
  };

  document.addEventListener("submit", (event) => {
    if (event.target.id !== "diagnose-form") return;
    event.preventDefault();
    send(event.target);
  });
  addEventListener("popstate", () => location.reload());
  show({ isNew: false });
})();
