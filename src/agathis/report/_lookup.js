// A row by its position: its cluster, its leaf and the way to it.

const leafOf = unpacked(data.lookup.data, unsigned[data.lookup.bytes]);
const columns = data.rows?.columns.map((text) => unpacked(text, floats[data.rows.bytes])) ?? null;
const classOf = data.rows?.classes ? unpacked(data.rows.classes.data, unsigned[data.rows.classes.bytes]) : null;
const SHOWN = 8;

const nodeOf = (row) => data.lookup.leaves[leafOf[row]];

function showRow(row) {
  const total = leafOf.length;
  const first = Math.max(0, Math.min(row - (row % SHOWN), total - 1));
  const lines = [];
  for (let i = first; i < Math.min(first + SHOWN, total); i++) lines.push(tableRow(i, i === row));
  byId("rows").tBodies[0].replaceChildren(...lines);
  byId("row-back").disabled = first === 0;
  byId("row-on").disabled = first + SHOWN >= total;
  byId("row").value = row;
  byId("row-error").textContent = "";
  const way = pathTo(nodeOf(row));
  byId("path").replaceChildren(el("h3", {}, `The way of row ${row}`), el("ol", {}, way.map((node, i) => step(node, way[i - 1], row))), ...allValues(row));
}

function tableRow(row, current) {
  const node = data.nodes[nodeOf(row)];
  const link = el("button", { type: "button", "data-row": row }, String(row));
  return el("tr", { "aria-current": current ? "true" : null },
    el("td", { class: "num" }, link),
    el("td", {}, el("span", { class: "chip" }, mark(node.cluster), el("span", { class: "name" }, node.name))),
    classOf ? el("td", { class: "name" }, data.classes[classOf[row]]) : null,
    el("td", {}, ruleText(node.rule)));
}

// One node on the way: what was asked, what the answer was, and how many rows went along.
function step(number, before, row) {
  const node = data.nodes[number];
  const leaf = !node.children.length;
  const words = before === undefined ? ["all rows"]
    : [el("b", { class: "name" }, data.nodes[before].name), " " + node.condition];
  const value = before !== undefined && columns
    ? ` (it is ${valueText(data.nodes[before].feature, (f) => columns[f][row])})` : "";
  return el("li", { "data-node": number, class: leaf ? `k${node.cluster}` : null },
    words, value, " ", el("small", {}, counted(node.size)),
    leaf ? [el("br"), "belongs to ", el("b", { class: "name" }, node.name)] : null);
}

function allValues(row) {
  if (!columns) return [];
  const value = (f) => columns[f][row];
  const answer = (f) => (Number.isNaN(value(f)) ? "missing" : value(f) === 1 ? "yes" : "no");
  const list = el("dl", {}, data.features.flatMap((feature, f) =>
    [el("dt", { class: "name" }, feature.name), el("dd", {}, feature.kind === "indicator" ? answer(f) : valueText(f, value))]));
  return [el("details", {}, el("summary", {}, "All values of this row"), list)];
}

// Show a row and its way in the tree; false where there is no such row.
function lookUp(text) {
  const row = /^\s*\d+\s*$/.test(text) ? Number(text) : NaN;
  if (!(row < leafOf.length)) {
    byId("row-error").textContent = `There is no row "${text}": rows are numbered from 0 to ${leafOf.length - 1}.`;
    return;
  }
  showRow(row);
  state.way = new Set(pathTo(nodeOf(row)));
  arrange();
}

function listenToLookup() {
  const pageOf = (row) => row - (row % SHOWN);
  const current = () => Number(byId("row").value) || 0;
  byId("lookup-form").addEventListener("submit", (event) => {
    event.preventDefault();
    lookUp(byId("row").value);
  });
  byId("rows").addEventListener("click", (event) => {
    const row = event.target.closest("button")?.dataset.row;
    if (row === undefined) return;
    lookUp(row);
    byId("rows").querySelector(`[data-row="${row}"]`).focus();
  });
  byId("row-back").addEventListener("click", () => lookUp(String(Math.max(0, pageOf(current()) - SHOWN))));
  byId("row-on").addEventListener("click", () => lookUp(String(Math.min(leafOf.length - 1, pageOf(current()) + SHOWN))));
  showRow(0);
}
