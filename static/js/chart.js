// Draws every `.chart` from the JSON block that its data-figure names, in the colours of the present theme.
// The numbers and addresses come with the figure; nothing is computed here.
"use strict";

(() => {
  const INK_ON_PAPER = "#1b1f24";
  let printing = false;

  const themeOf = (ink) => {
    const [red, green, blue] = ink.match(/[\d.]+/g).map(Number);
    return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? "dark" : "light";
  };

  // Only traces with bars' ends have a colour for these, so that others are not given any.
  const laidOver = (under, over) => {
    const laid = { ...under };
    for (const [key, value] of Object.entries(over)) {
      const isTree = value && typeof value === "object" && !Array.isArray(value);
      if (key.startsWith("error_") && !(key in under)) continue;
      laid[key] = isTree ? laidOver(under[key] ?? {}, value) : value;
    }
    return laid;
  };

  const coloured = (figure, chart) => {
    const style = getComputedStyle(chart);
    const theme = figure.themes[printing ? "light" : themeOf(style.color)];
    const font = { family: style.fontFamily, size: 13, color: printing ? INK_ON_PAPER : style.color };
    const heat = { colorscale: theme.scale, textfont: { color: theme.ink } };
    const own = (place) => (theme.traces ? { textfont: heat.textfont, ...theme.traces[place] } : heat);
    const data = figure.data.map((trace, place) => laidOver(trace, own(place)));
    return {
      data,
      layout: { ...figure.layout, font },
      config: { displayModeBar: false, responsive: true },
    };
  };

  const open = (base, click) => {
    // A flow's mark also brings the words that are shown on hover, and the mouse's own event.
    const point = click.points[0];
    const query = [point.customdata].flat()[0];
    const event = point.originalEvent ?? click.event;
    if (!query) return;
    const address = `${base}${query}#issues`;
    const isElsewhere = event.ctrlKey || event.metaKey || document.body.classList.contains("chart-embed");
    if (isElsewhere) window.open(address, "_blank", "noopener");
    // A page that filters in place takes the address.
    else if (document.dispatchEvent(new CustomEvent("explore:open", { detail: address, cancelable: true }))) location.assign(address);
  };

  const figureOf = (chart) => {
    const figure = JSON.parse(document.getElementById(chart.dataset.figure).textContent);
    chart.style.minWidth = `${figure.min_width}px`;
    return coloured(figure, chart);
  };

  // Charts that a filter took away are drawn no more.
  const redraw = (chart) => chart.isConnected && Plotly.react(chart, figureOf(chart));

  const draw = async (chart) => {
    if (chart.dataset.drawn) return redraw(chart);
    await Plotly.newPlot(chart, figureOf(chart));
    chart.on("plotly_click", (click) => open(chart.dataset.base, click));
    new MutationObserver(() => redraw(chart)).observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw(chart));
    for (const [event, now] of [["beforeprint", true], ["afterprint", false]]) {
      addEventListener(event, () => {
        printing = now;
        redraw(chart);
      });
    }
    chart.dataset.drawn = "yes";
  };

  const offerPicture = (button) => {
    const chart = document.getElementById(button.dataset.of);
    button.closest("[hidden]").hidden = false;
    button.addEventListener("click", () => {
      const size = { width: chart.offsetWidth, height: chart.offsetHeight, scale: 2 };
      Plotly.downloadImage(chart, { format: button.dataset.picture, filename: `faultbook-${chart.id}`, ...size });
    });
  };

  const drawAll = () => {
    document.querySelectorAll(".chart").forEach(draw);
    document.querySelectorAll("[data-picture]").forEach(offerPicture);
  };

  drawAll();
  document.addEventListener("explore:shown", drawAll);
})();
