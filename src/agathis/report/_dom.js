// Helpers for elements, numbers and strings. Data only ever reaches the page as text nodes.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

function el(tag, options = {}, ...children) {
  return filled(document.createElement(tag), options, children);
}

function svg(tag, options = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), options, children);
}

// A child that is a string becomes a text node; null is left out.
function filled(element, options, children) {
  for (const [name, value] of Object.entries(options)) {
    if (value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null));
  return element;
}

// A number for reading, rounded to a unit; a year has no comma.
function shown(given, isYear = false, unit = 0) {
  if (given === null) return "–";
  const value = unit > 0 ? Math.round(given / unit) * unit + 0 : given;
  const short = Number(value.toPrecision(Math.abs(value) >= 1e4 ? 4 : 5 - (Math.abs(value) < 1000)));
  const size = Math.abs(short);
  const plain = size === 0 || (size >= 1e-4 && size < 1e15);
  const text = plain ? short.toLocaleString("en", { maximumSignificantDigits: 10, useGrouping: !isYear }) : String(short);
  return text.replaceAll("-", "−");
}

function percent(share) {
  if (share > 0 && share < 0.0005) return "< 0.1\u00a0%";
  return (100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0) + "\u00a0%";
}

function counted(n, what = "row") {
  return n.toLocaleString("en") + " " + what + (n === 1 ? "" : "s");
}

// A condition is what is before the name of a feature, the name, and what is after it.
function condition([before, name, after]) {
  return [before, el("b", { class: "name", title: data.full[name] ?? null }, name), after];
}

function ruleText(rule) {
  return rule.map((box) => box.map((parts) => parts.join("")).join(" and ") || "all rows").join(", or ");
}

// A value of a feature in the terms of the table; `value` returns that of any feature of the row.
function valueText(f, value) {
  const feature = data.features[f];
  if (feature.kind === "indicator") {
    const source = data.features.findIndex((other, g) => other.source === feature.source && value(g) === 1);
    if (source >= 0) return data.features[source].category;
    return Number.isNaN(value(f)) ? "missing" : feature.otherwise;
  }
  if (Number.isNaN(value(f))) return "missing";
  const code = feature.kind === "codes" && feature.codes.find(([number]) => number === value(f));
  return code ? code[1] : String(value(f));
}

// Decode base64 into a typed array.
function unpacked(text, Kind) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Kind(bytes.buffer);
}

const unsigned = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };
const floats = { 4: Float32Array, 8: Float64Array };

// The nodes from the root to one of them.
function pathTo(node) {
  const path = [node];
  while (data.nodes[path[0]].parent >= 0) path.unshift(data.nodes[path[0]].parent);
  return path;
}

// A file for the reader to keep.
function download(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = el("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// The title as the name of a file.
const fileName = (ending) => (document.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "groups") + ending;
