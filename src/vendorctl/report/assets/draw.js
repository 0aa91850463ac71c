// SPDX-FileCopyrightText: 2026 The vendorctl authors
// SPDX-License-Identifier: Apache-2.0
//
// What the report is drawn with: elements, tables, charts, code. Content becomes text nodes only, never markup.
"use strict";

/** An element with attributes and children; strings become text nodes. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

function vector(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

function chip(text, kind) {
  return make("span", { class: `chip ${kind || ""}` }, text);
}

/** A sentence in which commands stand between backticks, or which is a command as a whole. */
function sentence(text) {
  if (text.startsWith("vendorctl ")) return make("code", {}, text);
  return text.split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
}

function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** A table; `columns` are [title, kind], where a kind is true for counts or the name of a class; a cell is a string, a number or a node. */
function table(caption, columns, rows) {
  const kind = (at) => (columns[at][1] === true ? "count" : columns[at][1]);
  const head = make("tr", {}, columns.map(([title], at) => make("th", { scope: "col", class: kind(at) }, title)));
  const body = rows.map((row) => make("tr", {}, row.map((cell, at) => make("td", { class: kind(at) }, cell))));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    make("table", { "aria-label": caption }, make("thead", {}, head), make("tbody", {}, body)));
}

function shortened(text, most) {
  const half = Math.floor((most - 1) / 2);
  return text.length > most ? `${text.slice(0, half)}…${text.slice(text.length - half)}` : text;
}

const NARROW = window.matchMedia("(max-width: 48rem)");

/** Room for a chart, in its own units: fewer where the screen is narrow, so that letters stay readable. */
function room() {
  return NARROW.matches ? { width: 340, labels: 130, most: 20 } : { width: 560, labels: 190, most: 32 };
}

/** A bar chart: rows of [label, value, kind]. On a logarithmic scale, small counts beside large ones can be seen. */
function bars(title, rows, unit, { logarithmic = false } = {}) {
  const { width, labels, most } = room();
  const size = (value) => (logarithmic ? Math.log10(1 + value) : value);
  const largest = Math.max(size(1), ...rows.map((row) => size(row[1])));
  const chart = vector("svg", { viewBox: `0 0 ${width} ${rows.length * 22 + 4}`, role: "img", "aria-label": `${title}, in ${unit}` }, vector("title", {}, title));
  rows.forEach(([label, value, kind], at) => {
    const top = at * 22 + 2, length = ((width - labels - 80) * size(value)) / largest;
    chart.append(
      vector("text", { x: String(labels - 8), y: String(top + 13), "text-anchor": "end" }, shortened(label, most), vector("title", {}, label)),
      vector("rect", { class: `mark ${kind || ""}`, x: String(labels), y: String(top), width: String(length), height: "16", rx: "2" }, vector("title", {}, `${label}: ${value.toLocaleString("en")} ${unit}`)),
      vector("text", { x: String(labels + length + 6), y: String(top + 13) }, value.toLocaleString("en")));
  });
  return make("figure", {}, make("figcaption", {}, `${title} (${unit}${logarithmic ? ", logarithmic" : ""})`), chart);
}

/** A table of numbers, shaded from the least to the most; `read(row, column)` gives a number, or null for none. */
function matrix(title, corner, rows, columns, read) {
  const values = rows.flatMap((row) => columns.map((column) => read(row, column))).filter((value) => value !== null);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const shade = (value) => (value === null ? "" : `q${most > least ? Math.round((4 * (value - least)) / (most - least)) : 0}`);
  const cell = (value) => make("td", { class: `count ${shade(value)}` }, value === null ? "" : value.toLocaleString("en"));
  return make("figure", {}, make("figcaption", {}, title), make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": title },
    make("table", { "aria-label": title },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, corner), columns.map((column) => make("th", { scope: "col", class: "count" }, column)))),
      make("tbody", {}, rows.map((row) => make("tr", {}, make("th", { scope: "row" }, row), columns.map((column) => cell(read(row, column)))))))));
}

/** A staircase over time: `days` are ISO dates in order, and the line is how many of them have come. */
function staircase(title, days, from, to) {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const { width } = room(), right = width - 16;
  const across = (date) => 44 + (right - 44) * (end > start ? Math.min(1, Math.max(0, (Date.parse(date) - start) / (end - start))) : 1);
  const up = (count) => 150 - (130 * count) / Math.max(1, days.length);
  let path = `M${across(from)},150`;
  days.forEach((date, at) => { path += `H${across(date)}V${up(at + 1)}`; });
  path += `H${right}`;
  const text = (x, y, anchor, label) => vector("text", { x: String(x), y: String(y), "text-anchor": anchor }, label);
  const chart = vector("svg", { viewBox: `0 0 ${width} 180`, role: "img", "aria-label": title }, vector("title", {}, title),
    vector("path", { class: "area", d: `${path}V150H44Z` }), vector("path", { class: "line", d: path }),
    vector("path", { class: "axis", d: `M44,12V150H${right}` }),
    text(36, 154, "end", "0"), text(36, 24, "end", days.length), text(44, 172, "start", from.slice(0, 10)), text(right, 172, "end", to.slice(0, 10)));
  return make("figure", {}, make("figcaption", {}, title), chart);
}

const WORDS = new Set(("and as assert async await break class continue def del elif else except finally for from global if import in is lambda " +
  "nonlocal not or pass raise return try while with yield None True False").split(" "));
const TOKENS = /(#.*$)|("""|''')|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|\b(\d(?:[\w.]|(?<=[eE])[+-])*)|([A-Za-z_]\w*)/g;
const ENDS = { '"""': /(?:\\.|[^\\])*?"""/y, "'''": /(?:\\.|[^\\])*?'''/y };

/** Where a string that is open at `at` ends in `text`, or -1. */
function ending(text, at, quotes) {
  const end = ENDS[quotes];
  end.lastIndex = at;
  return end.test(text) ? end.lastIndex : -1;
}

/**
 * A line of Python with words, strings, comments and numbers marked, and the three quotes of the string in which it
 * ends, if it does; `open` are those of the string in which it begins. Other files are close enough.
 */
function coloured(text, open) {
  const parts = [], mark = (kind, from, to) => parts.push(make("span", { class: kind }, text.slice(from, to)));
  let last = 0;
  if (open) {
    const end = ending(text, 0, open);
    if (end < 0) return { parts: text ? [make("span", { class: "s" }, text)] : [], open };
    mark("s", 0, end);
    last = end;
  }
  TOKENS.lastIndex = last;
  for (let found = TOKENS.exec(text); found; found = TOKENS.exec(text)) {
    let end = TOKENS.lastIndex;
    const kind = found[1] ? "c" : found[2] || found[3] ? "s" : found[4] ? "n" : WORDS.has(found[5]) ? "k" : null;
    if (kind === null) continue;
    parts.push(text.slice(last, found.index));
    if (found[2]) {
      end = ending(text, end, found[2]);
      if (end < 0) { mark("s", found.index, text.length); return { parts, open: found[2] }; }
    }
    mark(kind, found.index, end);
    TOKENS.lastIndex = last = end;
  }
  return { parts: [...parts, text.slice(last)], open: "" };
}

/** A patch number as in the name of its file; null stands for what no patch records. */
function owner(number) {
  return number === null ? "none" : String(number).padStart(4, "0");
}

function ownerClass(number) {
  return number === null ? "by nobody" : `by p${number % 6}`;
}

function row(value) {
  return { text: value.text.replace(/\r?\n$/, ""), sign: value.sign, patch: value.patch };
}

/**
 * The pairs of lines that stand side by side: removals left, additions right, context on both sides. `strings` are the
 * three quotes of the string in which the hunk begins, before and after; each side is coloured on its own.
 */
function pairs(hunk, strings) {
  const rows = [], open = [...strings];
  let left = hunk.old_start, right = hunk.new_start, removed = [], added = [];
  const side = (at, number, line) => {
    const shown = coloured(line.text, open[at]);
    open[at] = shown.open;
    return { at: number, ...line, parts: shown.parts };
  };
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) rows.push([removed[at], added[at]]);
    removed = []; added = [];
  };
  for (const line of hunk.lines.map(row)) {
    if (line.sign === "-") removed.push(side(0, left++, line));
    else if (line.sign === "+") added.push(side(1, right++, line));
    else { flush(); rows.push([side(0, left++, line), side(1, right++, line)]); }
  }
  flush();
  return rows;
}

const NAMES = { "-": "removed", "+": "added" };

/** Number, patch and text of one line; an absent line leaves its cells empty. */
function cells(line) {
  if (line === undefined) return [make("td", { class: "at" }), make("td", { class: "by" }), make("td", { class: "code none" })];
  const changed = line.sign !== " ";
  const kind = { "-": "code del", "+": "code add" }[line.sign] || "code";
  return [make("td", { class: "at" }, line.at), make("td", { class: changed ? ownerClass(line.patch) : "by" }, changed ? owner(line.patch) : ""),
    make("td", { class: kind, "aria-label": changed ? `${NAMES[line.sign]}: ${line.text}` : null }, line.parts)];
}

/** One hunk, each changed line with the patch that answers for it: side by side, or in one column where room is short. */
function hunk(value, strings) {
  const narrow = NARROW.matches, both = pairs(value, strings || ["", ""]);
  const lines = narrow
    ? both.flatMap(([before, after]) => (before && before.sign === " " ? [[before]] : [before, after].filter(Boolean).map((line) => [line])))
    : both;
  const named = value.patches.map((patch) => make("span", { class: ownerClass(patch.number) }, `${owner(patch.number)} ${patch.title}`));
  return make("table", { class: narrow ? "diff narrow" : "diff" },
    make("caption", {}, `line ${value.old_start} → ${value.new_start} `, named),
    make("tbody", {}, lines.map((sides) => make("tr", {}, (narrow ? sides : [sides[0], sides[1]]).map(cells)))));
}

/** Folded content that is made when it is first opened. */
function folded(title, fill, attributes) {
  const element = make("details", attributes || {}, make("summary", {}, title));
  element.addEventListener("toggle", () => element.open && filled(element, fill));
  element.fill = () => filled(element, fill);
  return element;
}

function filled(element, fill) {
  if (element.dataset.filled) return;
  element.dataset.filled = "yes";
  element.append(make("div", {}, fill()));
}
