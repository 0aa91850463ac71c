// SPDX-FileCopyrightText: 2026 The vendorctl authors
// SPDX-License-Identifier: Apache-2.0
//
// Draws the report from the JSON in the page. Content reaches the document as text nodes only, never as markup.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

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

/** A table; `columns` are [title, isCount], a cell is a string, a number or a node. */
function table(caption, columns, rows) {
  const head = make("tr", {}, columns.map(([title, count]) => make("th", { scope: "col", class: count ? "count" : null }, title)));
  const body = rows.map((row) => make("tr", {}, row.map((cell, at) => make("td", { class: columns[at][1] ? "count" : null }, cell))));
  return make("div", { class: "wide", tabindex: "0" },
    make("table", { "aria-label": caption }, make("thead", {}, head), make("tbody", {}, body)));
}

/** A bar chart: rows of [label, value]. */
function bars(title, rows, unit) {
  const most = Math.max(1, ...rows.map((row) => row[1]));
  const height = rows.length * 20 + 6;
  const chart = vector("svg", { viewBox: `0 0 720 ${height}`, role: "img", "aria-label": title, width: "720" }, vector("title", {}, title));
  rows.forEach(([label, value], at) => {
    const top = at * 20 + 3;
    chart.append(
      vector("text", { x: "170", y: String(top + 13), "text-anchor": "end" }, label.length > 26 ? label.slice(0, 25) + "…" : label),
      vector("rect", { class: "mark", x: "180", y: String(top), width: String((440 * value) / most), height: "15" }, vector("title", {}, `${label}: ${value} ${unit}`)),
      vector("text", { x: String(186 + (440 * value) / most), y: String(top + 13) }, value.toLocaleString("en")));
  });
  return chart;
}

const WORDS = new Set(("and as assert async await break class continue def del elif else except finally for from global if import in is lambda " +
  "nonlocal not or pass raise return try while with yield None True False").split(" "));
const TOKENS = /(#.*$)|("""|'''|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|\b(\d[\w.]*)|([A-Za-z_]\w*)/g;

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

function owner(number) {
  return number === null ? "none" : String(number).padStart(4, "0");
}

/** One hunk side by side: removals left, additions right, each with the patch that answers for it. */
function hunk(value) {
  const rows = [];
  let left = value.old_start, right = value.new_start, removed = [], added = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) rows.push([removed[at], added[at]]);
    removed = []; added = [];
  };
  for (const line of value.lines) {
    const text = line.text.replace(/\r?\n$/, "");
    if (line.sign === "-") removed.push([left++, text, line.patch]);
    else if (line.sign === "+") added.push([right++, text, line.patch]);
    else { flush(); rows.push([[left++, text], [right++, text]]); }
  }
  flush();
  const cells = (cell, kind) => cell === undefined ? [make("td", { class: "at" }), make("td", { class: "by" }), make("td", {})] : [
    make("td", { class: "at" }, cell[0]),
    make("td", { class: "by" }, cell.length > 2 ? owner(cell[2]) : ""),
    make("td", { class: cell.length > 2 ? `code ${kind}` : "code" }, coloured(cell[1]))];
  const names = value.patches.map((patch) => `${owner(patch.number)} ${patch.title}`).join("; ");
  return make("table", { class: "diff" }, make("caption", {}, `line ${value.old_start} → ${value.new_start}: ${names}`),
    make("tbody", {}, rows.map(([before, after]) => make("tr", {}, cells(before, "del"), cells(after, "add")))));
}

/** Folded content that is made when it is first opened. */
function folded(title, fill, attributes) {
  const element = make("details", attributes || {}, make("summary", {}, title));
  element.addEventListener("toggle", () => {
    if (element.open && !element.dataset.filled) {
      element.dataset.filled = "yes";
      element.append(make("div", {}, fill()));
    }
  });
  return element;
}

function section(id, title, ...content) {
  if (!content.flat(Infinity).length) return;
  document.getElementById("sections").append(make("section", { id, "aria-labelledby": `${id}-title` }, make("h2", { id: `${id}-title` }, title), content));
  document.getElementById("contents").append(make("li", {}, make("a", { href: `#${id}` }, title)));
}

/** A filter form over elements that carry `data-…` attributes; text is searched in the whole element. */
function filters(name, fields, elements) {
  const search = make("input", { type: "search", name: "text", autocomplete: "off" });
  const count = make("output", { "aria-live": "polite" });
  const choices = fields.map(([title, key]) => {
    const values = [...new Set(elements.map((element) => element.dataset[key]))].filter(Boolean).sort();
    return [key, make("select", { name: key }, make("option", { value: "" }, "all"), values.map((value) => make("option", { value }, value))), title];
  });
  const apply = () => {
    const wanted = search.value.toLowerCase();
    let shown = 0;
    for (const element of elements) {
      const fits = choices.every(([key, select]) => !select.value || element.dataset[key] === select.value)
        && (!wanted || (element.dataset.search || element.textContent).toLowerCase().includes(wanted));
      element.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    count.textContent = `${shown} of ${elements.length}`;
  };
  const form = make("form", { class: "filters", role: "search", "aria-label": `Filter ${name}` },
    make("label", {}, "Text", search), choices.map(([, select, title]) => make("label", {}, title, select)), count);
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
  return form;
}

const upstreams = Object.entries(data.differences.upstreams || {});
const findings = data.findings;

function overview() {
  const rows = data.overview.map((row) => [make("a", { href: `#patches` }, row.name), make("code", {}, row.pin), row.age, row.behind,
    row.differ, row.patches, row.errors ? make("span", { class: "error" }, `${row.errors} errors`) : make("span", { class: "good" }, "ok")]);
  return table("Upstreams", [["upstream"], ["pin"], ["age"], ["behind", true], ["files differ", true], ["patches", true], ["state"]], rows);
}

function drift() {
  return Object.entries(data.drift.upstreams || {}).filter(([, value]) => value.commits && value.commits.length).map(([name, value]) => {
    const months = {};
    for (const commit of value.commits) months[commit.date.slice(0, 7)] = (months[commit.date.slice(0, 7)] || 0) + 1;
    const commits = [...value.commits].reverse().map((commit) => [make("code", {}, commit.commit.slice(0, 12)), commit.date.slice(0, 10), commit.subject, commit.author]);
    return [make("h3", {}, name), make("p", {}, `${value.behind} commits behind ${value.against}, ${value.commits.length} of them on vendored files.`),
      bars(`Commits on vendored files of ${name} by month`, Object.entries(months).sort().slice(-36), "commits"),
      folded(`${commits.length} commits`, () => table("Commits", [["commit"], ["date"], ["subject"], ["author"]], commits))];
  });
}

function patches() {
  const elements = upstreams.flatMap(([name, value]) => value.patches.map((patch) => {
    const files = value.files.filter((file) => file.patches.includes(patch.number) || file.hunks.some((each) => each.patches.some((by) => by.number === patch.number)));
    const forecast = ((data.drift.upstreams || {})[name] || { patches: [] }).patches.find((each) => each.file === patch.file);
    const health = forecast ? forecast.health : "unknown";
    const title = [make("code", {}, owner(patch.number)), " ", patch.title, " ", make("span", { class: "soft" }, `${name} · ${health}`)];
    return folded(title, () => [
      make("p", {}, patch.reason || "no reason stated"),
      make("p", { class: "soft" }, `origin: ${patch.origin || "not stated"} · forwarded: ${patch.forwarded || "not stated"}`),
      files.map((file) => [make("h4", {}, make("code", {}, file.path)),
        file.hunks.filter((each) => each.patches.some((by) => by.number === patch.number)).map(hunk)]),
    ], { "data-upstream": name, "data-health": health, "data-search": `${name} ${patch.title} ${patch.reason} ${patch.file} ${files.map((file) => file.path).join(" ")}` });
  }));
  return elements.length ? [filters("patches", [["Upstream", "upstream"], ["Health", "health"]], elements), elements] : [];
}

function files() {
  const elements = upstreams.flatMap(([name, value]) => value.files.map((file) =>
    folded([make("code", {}, file.path), " ", make("span", { class: file.unexplained ? "error" : "soft" }, `${name} · ${file.kind}${file.unexplained ? " · not explained" : ""}`)],
      () => file.binary ? make("p", {}, "binary content") : file.hunks.map(hunk),
      { "data-upstream": name, "data-kind": file.kind, "data-search": `${name} ${file.path}` })));
  return elements.length ? [filters("files", [["Upstream", "upstream"], ["Change", "kind"]], elements), elements] : [];
}

function licences() {
  const rows = (data.audit.upstreams || []).flatMap((upstream) => Object.entries(upstream.expressions).map(([expression, count]) =>
    [upstream.name, upstream.declared || "", expression === "unknown" ? make("span", { class: "error" }, expression) : expression, count]));
  const links = data.documents.map((path) => make("li", {}, make("code", {}, path)));
  return rows.length ? [table("Licences", [["upstream"], ["declared"], ["files say"], ["files", true]], rows),
    links.length ? [make("h3", {}, "Documents"), make("ul", {}, links)] : []] : [];
}

function objects() {
  if (!data.objects.length) return [];
  const groups = {};
  for (const [operation, target, , size, registers, , spills] of data.objects) {
    const group = (groups[`${operation} ${target}`] ||= { operation, target, count: 0, size: 0, registers: 0, spills: 0 });
    group.count += 1; group.size += size; group.registers = Math.max(group.registers, registers); group.spills += spills;
  }
  const rows = Object.values(groups).map((group) => [group.operation, group.target, group.count, Math.round(group.size / 1024), group.registers, group.spills]);
  const total = (key) => Object.entries(Object.values(groups).reduce((sums, group) => ({ ...sums, [group[key]]: (sums[group[key]] || 0) + group.size / 1024 }), {}))
    .map(([name, size]) => [name, Math.round(size)]);
  const largest = [...data.objects].sort((one, other) => other[4] - one[4]).slice(0, 12).map((row) => [`${row[2]} ${row[1]}`, row[4]]);
  return [make("h3", {}, "Size by operation (KiB)"), bars("Object size by operation", total("operation"), "KiB"),
    make("h3", {}, "Size by target (KiB)"), bars("Object size by target", total("target"), "KiB"),
    make("h3", {}, "Most vector registers"), bars("Objects with most vector registers", largest, "registers"),
    folded("All operations and targets", () => table("Objects", [["operation"], ["target"], ["objects", true], ["KiB", true], ["VGPRs", true], ["spills", true]], rows))];
}

function tests() {
  const summary = data.tests.summary || [];
  if (!summary.length) return [];
  const rows = summary.map((row) => [row.operation, row.target, row.objects, row.passed,
    row.worst === null || row.worst === undefined ? "" : Number(row.worst).toExponential(2)]);
  const histogram = data.histogram.length ? [make("h3", {}, "Errors, in units of the tolerance"), bars("Histogram of errors", data.histogram, "elements")] : [];
  return [table("Kernel tests", [["operation"], ["target"], ["objects", true], ["passed", true], ["worst error", true]], rows), histogram];
}

function problems() {
  const elements = findings.map((finding) => {
    const place = finding.location ? [finding.location.path, finding.location.line].filter(Boolean).join(":") : "";
    return make("div", { class: `finding ${finding.severity}`, id: finding.id, "data-severity": finding.severity, "data-rule": finding.rule, "data-upstream": finding.upstream || "" },
      make("p", {}, make("a", { href: `#${finding.id}`, "aria-label": "link to this finding" }, finding.rule), " ", make("strong", {}, finding.message)),
      place ? make("p", {}, make("code", {}, place)) : [],
      finding.hint ? make("p", { class: "soft" }, finding.hint) : [],
      finding.detail ? folded("Details", () => make("pre", { class: "code" }, finding.detail)) : []);
  });
  if (!elements.length) return [make("p", { class: "good" }, "Nothing is wrong.")];
  return [filters("findings", [["Severity", "severity"], ["Rule", "rule"], ["Upstream", "upstream"]], elements), elements];
}

section("overview", "Upstreams", overview());
section("findings", "Findings", problems());
section("drift", "Drift", drift());
section("patches", "Patches", patches());
section("files", "Differences", files());
section("licences", "Licences", licences());
section("objects", "Objects", objects());
section("tests", "Kernel tests", tests());
if (location.hash.length > 1) {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) target.scrollIntoView();
}
document.documentElement.dataset.ready = "yes";
