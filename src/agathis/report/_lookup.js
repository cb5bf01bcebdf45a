// Look up a row by its position or identifier: its cluster, its leaf and its path.

// Without identifiers or raw rows there is no look-up.
const leafOf = data.lookup ? unpacked(data.lookup.data, unsigned[data.lookup.bytes]) : [];
const columns = data.rows?.columns.map((text) => unpacked(text, floats[data.rows.bytes])) ?? null;
const classOf = data.rows?.classes ? unpacked(data.rows.classes.data, unsigned[data.rows.classes.bytes]) : null;
const SHOWN = 8;

const nodeOf = (row) => data.lookup.leaves[leafOf[row]];

const ids = data.ids?.values ?? null;

// Show a row among its neighbours, or among the rows that match.
function showRow(row, found = null) {
  if (!leafOf.length) return;
  const total = leafOf.length;
  const first = Math.max(0, Math.min(row - (row % SHOWN), total - 1));
  const shown = found ?? Array.from({ length: Math.min(SHOWN, total - first) }, (_, i) => first + i);
  byId("rows").tBodies[0].replaceChildren(...shown.map((i) => tableRow(i, i === row)));
  byId("row-back").disabled = first === 0;
  byId("row-on").disabled = first + SHOWN >= total;
  byId("row").value = row;
  byId("row-error").textContent = "";
  const way = pathTo(nodeOf(row));
  byId("path").replaceChildren(el("h3", {}, `Path of row ${row}` + (ids ? `, ${ids[row]}` : "")), el("ol", {}, way.map((node, i) => step(node, way[i - 1], row))), ...allValues(row));
}

function tableRow(row, current) {
  const node = data.nodes[nodeOf(row)];
  const link = el("button", { type: "button", "data-row": row }, String(row));
  return el("tr", { "aria-current": current ? "true" : null },
    el("td", { class: "num" }, link),
    ids ? el("td", { class: "name id" }, ids[row]) : null,
    el("td", {}, el("span", { class: "chip" }, mark(node.cluster), el("span", { class: "name" }, node.name))),
    classOf ? el("td", { class: "name" }, data.classes[classOf[row]]) : null,
    el("td", {}, ruleText(node.rule)));
}

// A node of the path: its condition, the value of the row, and the number of rows.
function step(number, before, row) {
  const node = data.nodes[number];
  const leaf = !node.children.length;
  const words = before === undefined ? ["all rows"]
    : [el("b", { class: "name" }, data.nodes[before].name), " " + node.condition];
  const valueOf = (f) => valueText(f, (g) => columns[g][row]);
  const asked = before !== undefined && columns ? data.nodes[before] : null;
  const value = asked?.summed ? ` (${asked.summed.map((f) => `${data.features[f].name} is ${valueOf(f)}`).join(", ")})`
    : asked && asked.feature !== null ? ` (it is ${valueOf(asked.feature)})` : "";
  return el("li", { "data-node": number, class: leaf ? `k${node.cluster}` : null },
    words, value, " ", el("small", {}, counted(node.size)),
    leaf ? [el("br"), "belongs to ", el("b", { class: "name" }, node.name)] : null);
}

function allValues(row) {
  if (!columns) return [];
  const value = (f) => columns[f][row];
  const answer = (f) => (Number.isNaN(value(f)) ? "missing" : value(f) === 1 ? "yes" : "no");
  const list = el("dl", {}, data.features.flatMap((feature, f) => feature.hidden ? [] :
    [el("dt", { class: "name" }, feature.name), el("dd", {}, feature.kind === "indicator" ? answer(f) : valueText(f, value))]));
  return [el("details", {}, el("summary", {}, "All values of this row"), list)];
}

// Show a row and its path in the tree, or an error where there is no such row.
function lookUp(text) {
  const row = /^\s*\d+\s*$/.test(text) ? Number(text) : NaN;
  if (!(row < leafOf.length)) {
    byId("row-error").textContent = `There is no row "${text}": rows are numbered from 0 to ${leafOf.length - 1}.`;
    return;
  }
  follow(row);
}

function follow(row, found = null) {
  showRow(row, found);
  state.way = new Set(pathTo(nodeOf(row)));
  arrange();
}

// Find rows by identifier: an exact match, or all identifiers that contain the text.
function find(text) {
  const wanted = text.trim().toLowerCase();
  const rows = ids.map((_, row) => row);
  const same = rows.filter((row) => ids[row].trim().toLowerCase() === wanted);
  const found = same.length ? same : rows.filter((row) => wanted && ids[row].toLowerCase().includes(wanted));
  if (found.length) follow(found[0], found.slice(0, SHOWN));
  const more = found.length > SHOWN ? `${found.length} rows match "${text}"; the first ones are shown.` : "";
  byId("row-error").textContent = found.length ? more : `No ${data.ids.name} matches "${text}".`;
}

function listenToLookup() {
  if (!data.lookup) return;
  const pageOf = (row) => row - (row % SHOWN);
  const current = () => Number(byId("row").value) || 0;
  byId("lookup-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (document.activeElement === byId("id")) find(byId("id").value);
    else lookUp(byId("row").value);
  });
  if (ids) byId("find").addEventListener("click", () => find(byId("id").value));
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
