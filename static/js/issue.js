// An issue's page: the small header that stays while scrolling, and folds that open for a fragment and for printing.
"use strict";

(() => {
  const head = document.getElementById("issue-head");
  const bar = document.getElementById("issue-bar");
  // It lies over the page, so that nothing moves when it comes and goes.
  new IntersectionObserver(([entry]) => {
    bar.hidden = entry.isIntersecting || entry.boundingClientRect.top > 0;
  }).observe(head);

  const open = (element) => {
    for (let fold = element; fold; fold = fold.parentElement) {
      if (fold.matches("details")) fold.open = true;
    }
  };
  const openTarget = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target?.closest("details.fold")) return;
    open(target);
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", openTarget);
  document.addEventListener("click", (event) => {
    // A second click on the same link changes no address.
    if (location.hash && event.target.closest("a")?.getAttribute("href") === location.hash) openTarget();
  });
  if (location.hash) openTarget();

  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details.fold:not([open]), details.fold details:not([open])")];
    for (const fold of closed) fold.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
  });
})();
