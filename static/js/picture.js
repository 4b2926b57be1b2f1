// Makes pictures of figures: PNG and SVG with the finding above the figure and, below it, what the page says of it.
// The text is that of the page's figure; nothing is computed here.
"use strict";

(() => {
  const SCALE = 2;
  const EDGE = 24;
  const LEAST_WIDTH = 720;
  const TITLE = { size: 18, weight: 600, colour: "#101317" };
  const LINE = { size: 12, weight: 400, colour: "#4a4e55" };
  const GROUND = "#ffffff";

  const pen = document.createElement("canvas").getContext("2d");

  // Words that fit into a line; what is too long for one, such as an address, is cut at the edge.
  const wrapped = (text, look, family, width) => {
    pen.font = `${look.weight} ${look.size}px ${family}`;
    const fits = (line) => pen.measureText(line).width <= width;
    const lines = [""];
    for (const word of text.split(/\s+/).flatMap((part) => (fits(part) ? [part] : part.match(/.{1,60}/g)))) {
      const longer = `${lines.at(-1)} ${word}`.trim();
      if (fits(longer)) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  };

  const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

  // Lines of text from a height on, and where they end.
  const block = (texts, look, family, width, from) => {
    let height = from;
    const marks = [];
    for (const line of texts.flatMap((text) => wrapped(text, look, family, width))) {
      height += Math.round(look.size * 1.4);
      marks.push(`<text x="${EDGE}" y="${height}" font-size="${look.size}" font-weight="${look.weight}" fill="${look.colour}">${escaped(line)}</text>`);
    }
    return { marks: marks.join(""), height };
  };

  const said = (chart) => {
    const figure = chart.closest("figure");
    const lines = figure.querySelectorAll(".chart-about li");
    return { title: figure.querySelector(".chart-finding").textContent, lines: [...lines].map((line) => line.textContent) };
  };

  const pictureOf = async (chart) => {
    const { title, lines } = said(chart);
    const figure = chart.onPaper();
    const inside = { width: Math.max(LEAST_WIDTH, chart.offsetWidth, parseInt(chart.style.minWidth)), height: figure.layout.height };
    const drawn = await Plotly.toImage(figure, { format: "svg", imageDataOnly: true, ...inside });
    const family = getComputedStyle(chart).fontFamily;
    const width = inside.width + 2 * EDGE;
    const above = block([title], TITLE, family, inside.width, EDGE / 2);
    const top = above.height + EDGE / 2;
    const below = block(lines, LINE, family, inside.width, top + inside.height + EDGE / 4);
    const height = below.height + EDGE;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escaped(family)}"><title>${escaped(title)}</title><desc>${escaped(lines.join(" "))}</desc><rect width="100%" height="100%" fill="${GROUND}"/>${above.marks}${drawn.replace("<svg", `<svg x="${EDGE}" y="${top}"`)}${below.marks}</svg>`;
    return { svg, width, height };
  };

  const painted = async ({ svg, width, height }) => {
    const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * SCALE;
    canvas.height = height * SCALE;
    const paper = canvas.getContext("2d");
    paper.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(address);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  };

  const keep = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  };

  const offer = (button) => {
    const chart = document.getElementById(button.dataset.of);
    if (!chart) return;
    button.closest("[hidden]").hidden = false;
    button.addEventListener("click", async () => {
      const picture = await pictureOf(chart);
      const kind = button.dataset.picture;
      const blob = kind === "svg" ? new Blob([picture.svg], { type: "image/svg+xml" }) : await painted(picture);
      keep(blob, `faultbook-${chart.id}.${kind}`);
    });
  };

  const offerAll = () => document.querySelectorAll("[data-picture]").forEach(offer);

  offerAll();
  // A filter brings new buttons.
  document.addEventListener("explore:shown", offerAll);
})();
