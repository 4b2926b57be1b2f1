// Filters without loading the page anew: a mark, a chip, a switch and the form are links and a form of the page itself,
// so what they lead to is read and its #explore takes the place of this one. All else is the server's.
"use strict";

(() => {
  const MOST_WAIT_MS = 15_000;
  const status = document.getElementById("explore-status");
  const failed = document.getElementById("explore-failed");
  let asking = null;

  const region = () => document.getElementById("explore");
  const sheet = () => document.getElementById("filter-sheet");
  const isOpen = (box) => box?.matches(":popover-open") ?? false;

  // Buttons that could do nothing without scripts are shown, and the one that scripts make needless is not.
  const prepare = () => {
    for (const button of region().querySelectorAll("[data-copies], .filterbar-show")) button.hidden = false;
    for (const button of region().querySelectorAll(".filterbar-apply")) button.hidden = true;
  };

  const wordsOf = (page) => {
    const issues = page.querySelector("[data-showing]")?.dataset.showing;
    const filters = page.querySelectorAll(".filterbar .chip:not(.chip-all)").length;
    if (!issues) return page.querySelector("#explore .alert")?.textContent.trim() ?? "";
    return `Showing ${issues}; ${filters} filter${filters === 1 ? "" : "s"}`;
  };

  // A figure keeps its element, so that Plotly moves what is drawn instead of beginning anew.
  const keepFigures = (fresh) => {
    for (const chart of region().querySelectorAll(".chart[data-drawn]")) {
      const twin = fresh.querySelector(`#${CSS.escape(chart.id)}`);
      if (!twin) continue;
      Object.assign(chart.dataset, twin.dataset);
      twin.replaceWith(chart);
    }
  };

  // Nothing to draw had no need of Plotly: where there is something again, the page is loaded whole.
  const needsMore = (page) => {
    const have = new Set([...document.scripts].map((script) => script.getAttribute("src")));
    return [...page.scripts].some((script) => !have.has(script.getAttribute("src")));
  };

  const show = (page, hash) => {
    const fresh = document.adoptNode(page.getElementById("explore"));
    const focused = document.activeElement?.id;
    const wasOpen = isOpen(sheet());
    keepFigures(fresh);
    region().replaceWith(fresh);
    document.title = page.title;
    prepare();
    if (wasOpen) sheet()?.showPopover();
    const place = hash && document.querySelector(hash);
    if (place) place.scrollIntoView();
    (place || (focused && document.getElementById(focused)) || document.querySelector(".filterbar .chip"))?.focus({ preventScroll: true });
    status.textContent = wordsOf(document);
    document.dispatchEvent(new CustomEvent("explore:shown"));
  };

  const failing = (address) => {
    document.getElementById("explore-again").href = address;
    failed.hidden = false;
    failed.scrollIntoView({ block: "nearest" });
  };

  /** @param {URL} address  @param {boolean} isNew  Whether it becomes an entry of the browser's history. */
  const load = async (address, isNew) => {
    asking?.abort();
    const own = new AbortController();
    asking = own;
    const tooLong = setTimeout(() => own.abort("slow"), MOST_WAIT_MS);
    region().setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, { signal: own.signal, headers: { Accept: "text/html" } });
      // What is wrong with an address stands on its page, too.
      if (!answer.ok && answer.status !== 400) throw new Error(String(answer.status));
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!page.getElementById("explore")) throw new Error("another page");
      if (needsMore(page)) {
        location.assign(address);
        return;
      }
      if (isNew) history.pushState({}, "", address);
      show(page, address.hash);
      failed.hidden = true;
    } catch {
      if (asking === own) failing(address.href);
    } finally {
      clearTimeout(tooLong);
      if (asking === own) region().removeAttribute("aria-busy");
    }
  };

  const isHere = (address) => address.origin === location.origin && address.pathname === location.pathname;

  // A field that says nothing is left out, so that a view has one address.
  const filter = (form) => {
    const address = new URL(location.pathname, location.href);
    for (const [name, value] of new FormData(form)) {
      if (value) address.searchParams.append(name, value);
    }
    address.search = address.search.replaceAll("%2C", ",").replaceAll("%2F", "/");
    if (address.search !== location.search) load(address, true);
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("#explore a[href], #explore-again, #views a[href]");
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || link.target || link.hasAttribute("download")) return;
    const address = new URL(link.href);
    const isFile = address.searchParams.has("format");
    if (isFile || !isHere(address) || (address.hash && address.search === location.search)) return;
    event.preventDefault();
    load(address, true);
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-explore-form]")) return;
    event.preventDefault();
    filter(event.target);
  });
  document.addEventListener("change", (event) => {
    const form = event.target.closest("[data-explore-form]");
    if (form) filter(form);
  });
  // A figure's mark asks for its address by this.
  document.addEventListener("explore:open", (event) => {
    const address = new URL(event.detail, location.href);
    if (!isHere(address)) return;
    event.preventDefault();
    load(address, true);
  });
  let shown = location.search;
  document.addEventListener("explore:shown", () => (shown = location.search));
  addEventListener("popstate", () => {
    if (location.search !== shown) load(new URL(location.href), false);
  });
  prepare();
})();
