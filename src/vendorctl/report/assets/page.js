// SPDX-FileCopyrightText: 2026 The vendorctl authors
// SPDX-License-Identifier: Apache-2.0
//
// The sections of the report, from the JSON in the page. An address ends in the name of a section or of an entry, and
// for sections with filters in what they are set to: #findings?severity=error&text=softmax
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const upstreams = Object.entries(data.differences.upstreams || {});
const forms = {};

function section(id, title, ...content) {
  if (!content.flat(Infinity).length) return;
  document.getElementById("sections").append(make("section", { id, "aria-labelledby": `${id}-title` }, make("h2", { id: `${id}-title` }, title), content));
  document.getElementById("contents").append(make("li", {}, make("a", { href: `#${id}` }, title)));
}

/** A filter form over elements that carry `data-…` attributes; text is searched in the whole element. `groups` hold some of them. */
function filters(name, fields, elements, groups = []) {
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
    for (const group of groups) group.recount();
    count.textContent = `${shown} of ${elements.length}`;
  };
  const form = make("form", { class: "filters", role: "search", "aria-label": `Filter ${name}` },
    make("label", {}, "Text", search), choices.map(([, select, title]) => make("label", {}, title, select)), count);
  form.addEventListener("input", () => { apply(); history.replaceState(null, "", address(name, form)); });
  form.addEventListener("submit", (event) => event.preventDefault());
  forms[name] = { form, apply };
  apply();
  return form;
}

function address(name, form) {
  const set = new URLSearchParams([...new FormData(form)].filter(([, value]) => value)).toString();
  return `#${name}${set ? `?${set}` : ""}`;
}

/** Go where the address says: set filters, open what is folded, and show it. */
function visit() {
  const [id, query] = location.hash.slice(1).split("?");
  let name = id;
  try { name = decodeURIComponent(id); } catch { return; }
  const filter = forms[name];
  if (filter) {
    const wanted = new URLSearchParams(query || "");
    for (const field of filter.form.elements) if (field.name) field.value = wanted.get(field.name) || "";
    filter.apply();
  }
  const target = name && document.getElementById(name);
  if (!target) return;
  target.hidden = false;
  const around = target.parentElement.closest("details.group");
  if (around) { around.hidden = false; around.open = true; }
  if (target.tagName === "DETAILS") { target.open = true; target.fill(); }
  target.scrollIntoView();
}

function summary() {
  const total = (of) => upstreams.reduce((sum, [, value]) => sum + of(value), 0);
  const wrong = data.findings.filter((finding) => finding.severity === "error").length;
  const warned = data.findings.filter((finding) => finding.severity === "warning").length;
  const tests = (data.tests.summary || []).reduce(([all, good], each) => [all + each.objects, good + each.passed], [0, 0]);
  const tiles = [[data.overview.length, "upstream", "overview"], [total((value) => value.patches.length), "patch", "patches"],
    [total((value) => value.files.length), "file differs", "files"], [wrong, "error", "findings?severity=error", wrong ? "error" : "good"],
    [warned, "warning", "findings?severity=warning", warned ? "warning" : ""], [data.objects.length, "object", "objects"]];
  const plural = { patch: "patches", "file differs": "files differ" };
  const items = tiles.filter(([count, , id]) => count || id.startsWith("findings")).map(([count, noun, id, kind]) =>
    make("a", { class: `tile ${kind || ""}`, href: `#${id}` }, make("strong", {}, count.toLocaleString("en")), count === 1 ? noun : plural[noun] || `${noun}s`));
  if (tests[0]) items.push(make("a", { class: `tile ${tests[0] === tests[1] ? "good" : "error"}`, href: "#tests" }, make("strong", {}, `${tests[1]}/${tests[0]}`), "tests passed"));
  document.getElementById("summary").append(...items);
}

function overview() {
  const rows = data.overview.map((row) => [make("a", { href: `#patches?upstream=${encodeURIComponent(row.name)}` }, row.name), make("code", {}, row.pin), row.age, row.behind,
    row.differ, row.patches, row.errors ? chip(counted(row.errors, "error"), "error") : chip("ok", "good"), row.next ? sentence(row.next) : ""]);
  return table("Upstreams", [["upstream"], ["pin", "whole"], ["age", "whole"], ["behind", "whole count"], ["files differ", "whole count"], ["patches", true], ["state"], ["next step"]], rows);
}

/** Drift of each upstream; the upstreams of which it is not known are named, with what finds it out. */
function drift() {
  const unknown = data.overview.filter((row) => row.trouble);
  const moved = Object.entries(data.drift.upstreams || {}).filter(([, value]) => value.commits && value.commits.length).map(driftOf);
  const still = Object.keys(data.drift.upstreams || {}).length - moved.length;
  return [moved, moved.length || !still ? [] : make("p", { class: "good" }, "No upstream has changed a vendored file since its pin."),
    unknown.length ? table("Drift that is not known", [["not known of"], ["because"], ["next step"]], unknown.map((row) => [row.name, row.trouble, sentence(row.next || "")])) : []];
}

function driftOf([name, value]) {
    const days = value.commits.map((commit) => commit.date).sort((one, other) => Date.parse(one) - Date.parse(other));
    const commits = [...value.commits].reverse().map((commit) => [make("code", {}, commit.commit.slice(0, 12)), commit.date.slice(0, 10), commit.subject, commit.author,
      commit.paths.length]);
    const changed = value.files.map((file) => [make("code", {}, file.path), file.kind, file.added === null ? "binary" : `+${file.added} −${file.removed}`,
      file.semantic === false ? "cosmetic" : (file.symbols || []).filter((each) => each.change !== "cosmetic").map((each) => each.name).slice(0, 6).join(", ")]);
    return [make("h3", {}, name), make("p", {}, `${counted(value.behind, "commit")} behind ${value.against}, ${value.commits.length} of them on vendored files.`),
      staircase(`Commits on vendored files of ${name} since the pin`, days, value.pin_date, value.tip_date),
      folded(counted(commits.length, "commit"), () => table("Commits", [["commit"], ["date"], ["subject"], ["author"], ["files", true]], commits)),
      folded(counted(changed.length, "file") + " changed upstream", () => table("Files changed upstream", [["file"], ["change"], ["lines"], ["symbols"]], changed))];
}

const HEALTH = { clean: "good", moved: "good", "already-upstream": "note", "partly-upstream": "warning", conflict: "error" };
const SHOWN_OPEN = 5;

/** Files by the number of each patch that answers for a part of them. */
function filesByPatch(files) {
  const found = new Map();
  for (const file of files) {
    const numbers = new Set([...file.patches, ...file.hunks.flatMap((each) => each.patches.map((by) => by.number))]);
    for (const number of numbers) found.set(number, [...(found.get(number) || []), file]);
  }
  return found;
}

function status(patch) {
  if (patch.applied_upstream) return `applied upstream: ${patch.applied_upstream}`;
  return { no: "not forwarded", "not-needed": "not for upstream", "": "status not stated" }[patch.forwarded] || `forwarded: ${patch.forwarded}`;
}

function recorded(date) {
  const time = Date.parse(date);
  if (!date || Number.isNaN(time)) return "";
  const days = Math.max(0, Math.floor((Date.now() - time) / 86400000));
  return ` · recorded ${new Date(time).toISOString().slice(0, 10)}, ${counted(days, "day")} ago`;
}

function patches() {
  const elements = upstreams.flatMap(([name, value]) => {
    const byPatch = filesByPatch(value.files);
    const forecasts = new Map(((data.drift.upstreams || {})[name] || { patches: [] }).patches.map((each) => [each.file, each.health]));
    return value.patches.map((patch) => patchEntry(name, patch, byPatch.get(patch.number) || [], forecasts.get(patch.file) || "health not known"));
  });
  if (elements.length <= SHOWN_OPEN) for (const element of elements) { element.fill(); element.open = true; }
  return elements.length ? [filters("patches", [["Upstream", "upstream"], ["Health at the next bump", "health"], ["Status", "status"]], elements), elements] : [];
}

/** The hunks of a file; with `number`, those that this patch answers for. */
function hunks(name, file, number) {
  const strings = data.strings[`${name}/${file.path}`] || [];
  const wanted = (each) => number === undefined || each.patches.some((by) => by.number === number);
  return file.hunks.flatMap((each, at) => (wanted(each) ? [hunk(each, strings[at])] : []));
}

function patchEntry(name, patch, files, health) {
  const title = [make("span", { class: ownerClass(patch.number) }, owner(patch.number)), " ", patch.title, " ", chip(name), " ", chip(health, HEALTH[health])];
  const told = patch.forwarded && patch.forwarded.startsWith("http") ? "forwarded" : status(patch);
  return folded(title, () => [
    make("p", {}, patch.reason || "No reason is stated."),
    make("p", { class: "soft" }, `origin: ${patch.origin || "not stated"} · ${status(patch)}${recorded(data.dates[`${name}/${patch.file}`])}`),
    files.map((file) => [make("h4", {}, make("code", {}, file.path)), hunks(name, file, patch.number)]),
  ], { id: `patch-${name}-${owner(patch.number)}`, "data-upstream": name, "data-health": health, "data-status": patch.applied_upstream ? "applied upstream" : told,
    "data-search": `${name} ${patch.title} ${patch.reason} ${patch.file} ${files.map((file) => file.path).join(" ")}` });
}

function files() {
  const elements = upstreams.flatMap(([name, value]) => value.files.map((file) => {
    const owners = [...new Set([...file.patches, ...file.hunks.flatMap((each) => each.patches.map((by) => by.number))])];
    return folded([make("code", {}, file.path), " ", chip(name), " ", file.kind === "modify" ? [] : [chip(file.kind), " "], owners.map((each) => [make("span", { class: ownerClass(each) }, owner(each)), " "]),
      file.unexplained ? chip("not explained", "error") : []],
    () => file.binary ? make("p", {}, "binary content") : hunks(name, file),
    { id: `file-${name}-${file.path}`, "data-upstream": name, "data-kind": file.kind, "data-explained": file.unexplained ? "no" : "yes", "data-search": `${name} ${file.path}` });
  }));
  return elements.length ? [filters("files", [["Upstream", "upstream"], ["Change", "kind"], ["Explained", "explained"]], elements), elements] : [];
}

function licences() {
  const rows = (data.audit.upstreams || []).flatMap((upstream) => Object.entries(upstream.expressions).map(([expression, count]) =>
    [upstream.name, upstream.declared || "", expression === "unknown" ? make("span", { class: "error" }, expression) : expression, count]));
  const links = data.documents.map((document) => make("li", {}, make("a", { href: document.href }, document.path)));
  return rows.length ? [table("Licences", [["upstream"], ["declared"], ["files say"], ["files", true]], rows),
    links.length ? [make("h3", {}, "Notices and bills of materials"), make("ul", {}, links)] : []] : [];
}

function objects() {
  if (!data.objects.length) return [];
  const groups = {};
  for (const [operation, target, , size, registers, shared, spills] of data.objects) {
    const group = (groups[`${operation} ${target}`] ||= { operation, target, count: 0, size: 0, registers: 0, shared: 0, spills: 0 });
    group.count += 1; group.size += size; group.spills += spills;
    group.registers = Math.max(group.registers, registers); group.shared = Math.max(group.shared, shared);
  }
  const rows = Object.values(groups).map((group) => [group.operation, group.target, group.count, Math.round(group.size / 1024), group.registers, group.shared,
    group.spills ? chip(group.spills, "warning") : 0]);
  const total = (key) => Object.entries(Object.values(groups).reduce((sums, group) => ({ ...sums, [group[key]]: (sums[group[key]] || 0) + group.size / 1024 }), {}))
    .map(([name, size]) => [name, Math.round(size)]);
  const names = (key) => [...new Set(Object.values(groups).map((group) => group[key]))].sort();
  const most = (key) => (operation, target) => (groups[`${operation} ${target}`] || { [key]: null })[key];
  const resources = (title, key) => matrix(title, "operation", names("operation"), names("target"), most(key));
  return [make("div", { class: "charts" }, bars("Size by operation", total("operation"), "KiB"), bars("Size by target", total("target"), "KiB")),
    resources("Vector registers of the largest object", "registers"), resources("Bytes of LDS of the largest object", "shared"),
    folded("All operations and targets", () => table("Objects", [["operation"], ["target"], ["objects", true], ["KiB", true], ["VGPRs, most", true], ["LDS bytes, most", true], ["spills", true]], rows))];
}

function tests() {
  const summary = data.tests.summary || [];
  if (!summary.length) return [];
  const labels = [...data.tests.bins.map((bound) => (bound ? `up to ${Number((100 * bound).toPrecision(3))} %` : "exact")), "wrong"];
  const rows = summary.map((row) => [row.operation, row.target, row.objects, row.passed === row.objects ? chip(row.passed, "good") : chip(row.passed, "error"),
    row.worst === null || row.worst === undefined ? "" : Number(row.worst).toExponential(2), row.coverage === null || row.coverage === undefined ? "" : `${(100 * row.coverage).toFixed(1)} %`]);
  const histograms = Object.entries(summary.reduce((sums, row) => {
    sums[row.operation] = (sums[row.operation] || labels.map(() => 0)).map((count, at) => count + (row.histogram[at] || 0));
    return sums;
  }, {})).map(([operation, counts]) => bars(`${operation}: errors as parts of the tolerance`,
    labels.map((label, at) => [label, counts[at], label === "wrong" ? "error" : ""]), "elements", { logarithmic: true }));
  return [table("Kernel tests", [["operation"], ["target"], ["objects", true], ["passed", true], ["worst error", true], ["code executed", true]], rows),
    make("div", { class: "charts" }, histograms)];
}

const SEVERITIES = ["error", "warning", "note"];

function problems() {
  const ordered = [...data.findings].sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
  const elements = ordered.map((finding) => {
    const place = finding.location ? [finding.location.path, finding.location.line].filter(Boolean).join(":") : "";
    return make("article", { class: `finding ${finding.severity}`, id: finding.id, "data-severity": finding.severity, "data-rule": finding.rule, "data-upstream": finding.upstream || "" },
      make("p", {}, make("a", { href: `#${finding.id}`, "aria-label": `link to this finding of ${finding.rule}` }, finding.rule), " ", chip(finding.severity, finding.severity), " ", make("strong", {}, finding.message)),
      place ? make("p", {}, make("code", {}, place)) : [],
      finding.hint ? make("p", { class: "soft" }, sentence(finding.hint)) : [],
      finding.detail ? folded("Details", () => make("pre", { class: "code" }, finding.detail)) : []);
  });
  if (!elements.length) return [make("p", { class: "good" }, "Nothing is wrong.")];
  const [entries, groups] = grouped(elements);
  return [filters("findings", [["Severity", "severity"], ["Rule", "rule"], ["Upstream", "upstream"]], elements, groups), entries];
}

const ALONE = 3;

/** The findings, those of one rule and severity folded into a group where they are many and no errors; and the groups. */
function grouped(elements) {
  const alike = new Map();
  for (const each of elements) {
    const kind = `${each.dataset.severity} ${each.dataset.rule}`;
    if (!alike.has(kind)) alike.set(kind, []);
    alike.get(kind).push(each);
  }
  const groups = [], many = (members) => members.length > ALONE && members[0].dataset.severity !== "error";
  const rank = (members) => 2 * SEVERITIES.indexOf(members[0].dataset.severity) + many(members);
  const entries = [...alike.values()].sort((one, other) => rank(one) - rank(other)).map((members) => {
    if (!many(members)) return members;
    const { rule, severity } = members[0].dataset;
    const title = make("summary", {}), group = make("details", { class: "group" }, title, make("div", {}, members));
    group.fill = () => {};
    group.recount = () => {
      const shown = members.filter((each) => !each.hidden).length;
      group.hidden = !shown;
      title.replaceChildren(make("strong", {}, rule), " ", chip(counted(shown, severity), severity), " ", members[0].querySelector("strong").textContent, shown > 1 ? ", and the like" : "");
    };
    groups.push(group);
    return group;
  });
  return [entries, groups];
}

summary();
section("overview", "Upstreams", overview());
section("findings", "Findings", problems());
section("drift", "Drift", drift());
section("patches", "Patches", patches());
section("files", "Differences", files());
section("licences", "Licences", licences());
section("objects", "Objects", objects());
section("tests", "Kernel tests", tests());

// Paper has nothing to click on: what the filters show is unfolded, as long as that is a readable number of pages.
window.addEventListener("beforeprint", () => {
  const shown = [...document.querySelectorAll("#patches details:not([hidden]), .group:not([hidden]), .finding:not([hidden]) details")];
  if (shown.length <= 100) for (const element of shown) { element.fill(); element.open = true; }
});
window.addEventListener("hashchange", visit);
visit();
document.documentElement.dataset.ready = "yes";
