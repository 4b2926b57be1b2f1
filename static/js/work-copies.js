// What this browser keeps of a ballot until the server has answered for it: every page that fills it in has a copy of
// its own, and a copy goes only when the hash of what the server holds is the copy's. A copy's `bases` are the hashes of
// all that the server may hold without anybody else having changed it.
"use strict";

const workCopies = (() => {
  const BLANK = /^[ \t\n\r\f\v]+|[ \t\n\r\f\v]+$/g;

  /** As `hash_of` in labeling/ballots.py works it out. @param {[string, string][]} entries */
  const hashOf = (entries) => {
    const words = entries
      .map(([name, value]) => [name, value.replace(BLANK, "")])
      .filter(([name, value]) => value || name.startsWith("axis-"))
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .sort()
      .join("&");
    let hash = 0xcbf29ce484222325n;
    for (let at = 0; at < words.length; at += 1) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(words.charCodeAt(at))) * 0x100000001b3n);
    }
    return hash.toString(16).padStart(16, "0");
  };

  /** What the keys of a ballot's copies begin with. @param {string} member @param {string} address */
  const prefixOf = (member, address) => `draft:${member}:${address}`;

  /** The key of another copy. @param {string} prefix */
  const newKey = (prefix) => `${prefix}:${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;

  /** @param {string} key @param {{entries: [string, string][], bases: string[], at: number}} copy */
  const write = (key, copy) => {
    try {
      localStorage.setItem(key, JSON.stringify(copy));
      return true;
    } catch {
      // full or forbidden: what was saved is on the server
      return false;
    }
  };

  /** @param {string} key */
  const remove = (key) => {
    try {
      localStorage.removeItem(key);
    } catch {
      // nothing was kept
    }
  };

  /** A ballot's copies, the newest first. @param {string} prefix */
  const all = (prefix) => {
    try {
      const keys = Object.keys(localStorage).filter((key) => key === prefix || key.startsWith(`${prefix}:`));
      const found = keys.map((key) => ({ bases: [], ...JSON.parse(localStorage.getItem(key)), key }));
      return found.map((copy) => ({ ...copy, hash: hashOf(copy.entries) })).sort((one, other) => other.at - one.at);
    } catch {
      return [];
    }
  };

  /** The server has answered that this is what it holds. @param {string} prefix @param {string} hash */
  const settle = (prefix, hash) => {
    for (const copy of all(prefix)) if (copy.hash === hash) remove(copy.key);
  };

  // A page may have been on its way while another was still saved: it shows what the server held before.
  const LAST = "saved-last";

  /** @param {string} prefix @param {string} hash what was saved @param {string[]} bases what it may have replaced */
  const noteSaved = (prefix, hash, bases) => write(LAST, { prefix, hash, bases });

  /** Was this replaced by what this browser saved last? It is told once. @param {string} prefix @param {string} hash */
  const isReplaced = (prefix, hash) => {
    try {
      const last = JSON.parse(localStorage.getItem(LAST) ?? "{}");
      if (last.prefix !== prefix || last.hash === hash || !last.bases.includes(hash)) return false;
      remove(LAST);
      return true;
    } catch {
      return false;
    }
  };

  return { hashOf, prefixOf, newKey, write, remove, all, settle, noteSaved, isReplaced };
})();
