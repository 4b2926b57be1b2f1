// A worker that knows where lines begin in the reader's own file: indexes it piece by piece, reads, finds, picks out lines.
// Nothing leaves the browser: the file is read by slices, and never whole.
"use strict";

const EVERY = 256;
const PIECE = 8 << 20;
const LONGEST = 4_000;
const GROUP = 64;
const LINE_FEED = 10;
const TROUBLE = /error|exception|traceback|warn|fatal|critical|fail|abort|killed|timed? ?out|\bnan\b/i;
const CONTROL = /\x1b\[[0-9;:?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]/g;

let log = null;
let marks = [];
let lines = 0;
let current = 0;
let round = 0;
let indexing = null;

const tell = (message) => postMessage({ id: current, ...message });

const unpacked = async (file) => {
  if (!file.name.endsWith(".gz")) return file;
  return new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
};

const index = async (id, file) => {
  current = id;
  marks = [0];
  lines = 0;
  log = await unpacked(file);
  let last = -1;
  for (let start = 0; start < log.size && current === id; start += PIECE) {
    const bytes = new Uint8Array(await log.slice(start, start + PIECE).arrayBuffer());
    if (current !== id) return;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
      lines += 1;
      last = start + at;
      if (lines % EVERY === 0) marks.push(last + 1);
    }
    tell({ type: "indexed", lines, share: Math.min(1, (start + PIECE) / log.size) });
  }
  if (last < log.size - 1) lines += 1;
  tell({ type: "indexed", lines, share: 1, done: true });
};

// The text from one mark to another, as far as a piece goes.
const between = async (from, until) => {
  const end = until < marks.length ? marks[until] : log.size;
  const start = marks[Math.min(from, marks.length - 1)];
  return new TextDecoder().decode(await log.slice(start, Math.min(end, start + 2 * PIECE)).arrayBuffer());
};

const shown = (line) => {
  const text = line.slice(0, 2 * LONGEST).replace(CONTROL, "");
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
};

// The lines with these numbers, which rise.
const read = async (numbers) => {
  const texts = [];
  for (let at = 0; at < numbers.length; ) {
    const block = Math.floor(numbers[at] / EVERY);
    const rows = (await between(block, block + 1)).split("\n");
    for (; at < numbers.length && numbers[at] < (block + 1) * EVERY; at += 1) {
      texts.push(shown(rows[numbers[at] - block * EVERY] ?? ""));
    }
  }
  return texts;
};

// Tells the numbers of the lines that have the text, or of those that tell of trouble, as they are found.
const pick = async (asked, text) => {
  round = asked;
  await indexing;
  const wanted = text.toLowerCase();
  const isWanted = wanted ? (line) => line.toLowerCase().includes(wanted) : (line) => TROUBLE.test(line);
  for (let from = 0; from < marks.length; ) {
    let until = from + 1;
    while (until - from < GROUP && until < marks.length && marks[until] - marks[from] < PIECE) until += 1;
    const rows = (await between(from, until)).split("\n");
    if (round !== asked) return;
    const numbers = [];
    for (const [at, line] of rows.entries()) {
      if (from * EVERY + at < lines && isWanted(line)) numbers.push(from * EVERY + at);
    }
    from = until;
    tell({ type: "picked", round, numbers, share: from / marks.length, done: from >= marks.length });
  }
};

// The line, from 0, that has the text, seen from `from` on or backwards; -1 if there is none in the whole log, and
// null if another log was opened meanwhile.
const find = async (text, from, backwards) => {
  const [id, known] = [current, lines];
  const found = await findAmongKnown(text, from, backwards);
  if (found >= 0 || backwards) return found;
  await indexing;
  if (current !== id) return null;
  return lines > known ? findAmongKnown(text, Math.max(from, known - EVERY * GROUP), backwards) : found;
};

const findAmongKnown = async (text, from, backwards) => {
  const wanted = text.toLowerCase();
  const step = backwards ? -1 : 1;
  const inGroup = EVERY * GROUP;
  for (let group = Math.floor(Math.max(from, 0) / inGroup); group >= 0 && group * inGroup < lines; group += step) {
    const body = (await between(group * GROUP, (group + 1) * GROUP)).toLowerCase();
    if (!body.includes(wanted)) continue;
    const rows = body.split("\n");
    const base = group * inGroup;
    const inReach = (at) => (backwards ? at <= from : at >= from);
    const hits = [...rows.keys()].filter((at) => inReach(base + at) && rows[at].includes(wanted));
    if (hits.length) return base + hits.at(backwards ? -1 : 0);
  }
  return -1;
};

addEventListener("message", async ({ data }) => {
  try {
    if (data.type === "open") await (indexing = index(data.id, data.file));
    if (data.type === "read") tell({ type: "lines", ask: data.ask, numbers: data.numbers, rows: await read(data.numbers) });
    if (data.type === "pick") await pick(data.round, data.text);
    if (data.type === "find") {
      const line = await find(data.text, data.from, data.backwards);
      if (line !== null) tell({ type: "found", line });
    }
  } catch {
    tell({ type: "unreadable" });
  }
});
