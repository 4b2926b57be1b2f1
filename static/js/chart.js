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

  const coloured = (figure, chart, onPaper) => {
    const style = getComputedStyle(chart);
    const theme = figure.themes[onPaper ? "light" : themeOf(style.color)];
    const font = { family: style.fontFamily, size: 13, color: onPaper ? INK_ON_PAPER : style.color };
    const heat = { colorscale: theme.scale, textfont: { color: theme.ink } };
    const own = (place) => (theme.traces ? { textfont: heat.textfont, ...theme.traces[place] } : heat);
    const data = figure.data.map((trace, place) => laidOver(trace, own(place)));
    // Of a fixed width it stays as it is when paper is narrower than the window.
    const width = onPaper ? { width: Math.max(chart.offsetWidth, figure.min_width ?? 0) } : {};
    return {
      data,
      layout: { ...figure.layout, ...width, font },
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

  const figureOf = (chart, onPaper = printing) => {
    const figure = JSON.parse(document.getElementById(chart.dataset.figure).textContent);
    chart.style.minWidth = `${figure.min_width}px`;
    chart.style.minHeight = `${figure.layout.height}px`;
    return coloured(figure, chart, onPaper);
  };

  // Charts that a filter took away are drawn no more.
  const redraw = (chart) => chart.isConnected && Plotly.react(chart, figureOf(chart));

  const draw = async (chart) => {
    if (chart.dataset.drawn) return redraw(chart);
    const figure = figureOf(chart);
    chart.replaceChildren();
    await Plotly.newPlot(chart, figure);
    chart.on("plotly_click", (click) => open(chart.dataset.base, click));
    new MutationObserver(() => redraw(chart)).observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw(chart));
    for (const [event, now] of [["beforeprint", true], ["afterprint", false]]) {
      addEventListener(event, () => {
        printing = now;
        redraw(chart);
        // A style sheet for paper may give the figure another size: then it is scaled, not cut.
        for (const drawing of chart.querySelectorAll(".main-svg")) {
          if (now) drawing.setAttribute("viewBox", `0 0 ${drawing.getAttribute("width")} ${drawing.getAttribute("height")}`);
          else drawing.removeAttribute("viewBox");
        }
      });
    }
    // For pictures, which are on paper whatever the theme.
    chart.onPaper = () => figureOf(chart, true);
    chart.dataset.drawn = "yes";
  };

  const drawAll = () => document.querySelectorAll(".chart").forEach(draw);

  drawAll();
  document.addEventListener("explore:shown", drawAll);
})();
