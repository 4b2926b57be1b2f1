// A worker that knows where lines begin in the reader's own file: indexes it piece by piece, reads lines, finds text.
// Nothing leaves the browser: the file is read by slices, and never whole.
"use strict";

const EVERY = 256;
const PIECE = 8 << 20;
const LONGEST = 4_000;
const GROUP = 64;
const LINE_FEED = 10;
const CONTROL = /\x1b\[[0-9;:?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]/g;

let log = null;
let marks = [];
let lines = 0;
let current = 0;

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

const read = async (from, count) => {
  const first = Math.floor(from / EVERY);
  const found = (await between(first, Math.floor((from + count) / EVERY) + 1)).split("\n");
  return found.slice(from - first * EVERY, from - first * EVERY + count).map(shown);
};

// The line, from 0, that has the text, seen from `from` on or backwards; -1 if there is none.
const find = async (text, from, backwards) => {
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
    if (data.type === "open") await index(data.id, data.file);
    if (data.type === "read") {
      // Behind the last line feed there is no further line.
      const rows = await read(data.from, Math.min(data.count, lines - data.from));
      tell({ type: "lines", ask: data.ask, from: data.from, rows });
    }
    if (data.type === "find") tell({ type: "found", line: await find(data.text, data.from, data.backwards) });
  } catch {
    tell({ type: "unreadable" });
  }
});
