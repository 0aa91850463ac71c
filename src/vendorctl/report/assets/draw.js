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

function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** A table; `columns` are [title, isCount], a cell is a string, a number or a node. */
function table(caption, columns, rows) {
  const head = make("tr", {}, columns.map(([title, count]) => make("th", { scope: "col", class: count ? "count" : null }, title)));
  const body = rows.map((row) => make("tr", {}, row.map((cell, at) => make("td", { class: columns[at][1] ? "count" : null }, cell))));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    make("table", { "aria-label": caption }, make("thead", {}, head), make("tbody", {}, body)));
}

function shortened(text, most) {
  const half = Math.floor((most - 1) / 2);
  return text.length > most ? `${text.slice(0, half)}…${text.slice(text.length - half)}` : text;
}

/** A bar chart: rows of [label, value]. */
function bars(title, rows, unit) {
  const most = Math.max(1, ...rows.map((row) => row[1]));
  const chart = vector("svg", { viewBox: `0 0 720 ${rows.length * 22 + 4}`, role: "img", "aria-label": title }, vector("title", {}, title));
  rows.forEach(([label, value], at) => {
    const top = at * 22 + 2, width = (380 * value) / most;
    chart.append(
      vector("text", { x: "232", y: String(top + 13), "text-anchor": "end" }, shortened(label, 36), vector("title", {}, label)),
      vector("rect", { class: "mark", x: "240", y: String(top), width: String(width), height: "16", rx: "2" }, vector("title", {}, `${label}: ${value} ${unit}`)),
      vector("text", { x: String(246 + width), y: String(top + 13) }, value.toLocaleString("en")));
  });
  return make("figure", {}, make("figcaption", {}, `${title} (${unit})`), chart);
}

/** A staircase over time: `days` are ISO dates in order, and the line is how many of them have come. */
function staircase(title, days, from, to) {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const across = (date) => 44 + 620 * (end > start ? Math.min(1, Math.max(0, (Date.parse(date) - start) / (end - start))) : 1);
  const up = (count) => 150 - (130 * count) / Math.max(1, days.length);
  let path = `M${across(from)},150`;
  days.forEach((date, at) => { path += `H${across(date)}V${up(at + 1)}`; });
  path += "H664";
  const text = (x, y, anchor, label) => vector("text", { x: String(x), y: String(y), "text-anchor": anchor }, label);
  const chart = vector("svg", { viewBox: "0 0 720 180", role: "img", "aria-label": title }, vector("title", {}, title),
    vector("path", { class: "area", d: `${path}V150H44Z` }), vector("path", { class: "line", d: path }),
    vector("path", { class: "axis", d: "M44,12V150H664" }),
    text(36, 154, "end", "0"), text(36, 24, "end", days.length), text(44, 172, "start", from.slice(0, 10)), text(664, 172, "end", to.slice(0, 10)));
  return make("figure", {}, make("figcaption", {}, title), chart);
}

const WORDS = new Set(("and as assert async await break class continue def del elif else except finally for from global if import in is lambda " +
  "nonlocal not or pass raise return try while with yield None True False").split(" "));
const TOKENS = /(#.*$)|("""|'''|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|\b(\d(?:[\w.]|(?<=[eE])[+-])*)|([A-Za-z_]\w*)/g;

/** A line of Python with words, strings, comments and numbers marked; other files are close enough. */
function coloured(text) {
  const parts = [];
  let last = 0;
  for (const found of text.matchAll(TOKENS)) {
    const kind = found[1] ? "c" : found[2] ? "s" : found[3] ? "n" : WORDS.has(found[4]) ? "k" : null;
    if (kind === null) continue;
    parts.push(text.slice(last, found.index), make("span", { class: kind }, found[0]));
    last = found.index + found[0].length;
  }
  return [...parts, text.slice(last)];
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

/** The pairs of lines that stand side by side: removals left, additions right, context on both sides. */
function pairs(hunk) {
  const rows = [];
  let left = hunk.old_start, right = hunk.new_start, removed = [], added = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) rows.push([removed[at], added[at]]);
    removed = []; added = [];
  };
  for (const line of hunk.lines.map(row)) {
    if (line.sign === "-") removed.push({ at: left++, ...line });
    else if (line.sign === "+") added.push({ at: right++, ...line });
    else { flush(); rows.push([{ at: left++, ...line }, { at: right++, ...line }]); }
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
    make("td", { class: kind, "aria-label": changed ? `${NAMES[line.sign]}: ${line.text}` : null }, coloured(line.text))];
}

/** One hunk, each changed line with the patch that answers for it: side by side, or in one column where room is short. */
function hunk(value) {
  const narrow = window.matchMedia("(max-width: 48rem)").matches;
  const lines = narrow
    ? pairs(value).flatMap(([before, after]) => (before && before.sign === " " ? [[before]] : [before, after].filter(Boolean).map((line) => [line])))
    : pairs(value);
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
