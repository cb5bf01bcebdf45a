// The panel of a node: its rule, its size, the proportions of clusters and classes, its values.

// The effect of each kind of split on the cluster whose rows it divided.
const MOVES = {
  star: "One side became a new group.",
  double_star: "Both sides became new groups.",
  switch: "One side went to another group.",
  mixed: "One side became a new group, the other went to another one.",
  reallocation: "Both sides went to other groups.",
};

function showPanel(number) {
  const node = data.nodes[number];
  const leaf = !node.children.length;
  const box = node.rule[0];
  const parts = [
    el("h3", {}, leaf ? mark(node.cluster, 16) : null, el("span", { class: "name" }, leaf ? node.name : `Split on ${node.name}`)),
    el("p", { class: "small" }, `${counted(node.size)}, ${percent(node.share)} of all`
      + (leaf ? "" : `; ${counted(node.n_leaves, "leaf").replace("leafs", "leaves")} below`)),
    el("h4", {}, "Rule"),
    el("ul", { class: "rules", id: "panel-rule" },
      box.length ? box.map((parts) => el("li", {}, condition(parts))) : el("li", {}, "all rows")),
  ];
  if (!leaf && node.histogram) parts.push(el("h4", {}, "This split"), ...histogram(node));
  if (!leaf && node.gain !== null) {
    const kind = MOVES[node.move] ? ` ${MOVES[node.move]}` : "";
    parts.push(el("p", { class: "small", id: "panel-gain" }, `It contributes ${percent(node.gain)} of the total gain.${kind}`));
  }
  if (!leaf) parts.push(el("h4", {}, "Groups below"), ...mixOf(node.mix, data.clusters.map((c) => c.name), (k) => mark(k, 12), (k) => ({ class: `k${k}` })));
  if (node.classes) {
    const look = (c) => ({ class: "class", opacity: 1 - (0.82 * c) / Math.max(1, data.classes.length - 1) });
    const sign = (c) => svg("svg", { class: "swatch", width: 10, height: 10, "aria-hidden": "true" }, svg("rect", { ...look(c), width: 10, height: 10, rx: 2 }));
    parts.push(el("h4", { class: "name" }, data.target ?? "Classes"), ...mixOf(node.classes, data.classes, sign, look));
  }
  parts.push(...valuesOf(node));
  byId("panel").replaceChildren(...parts);
}

// Counts as a stacked bar and as text, the most frequent first.
function mixOf(counts, names, sign, look) {
  const total = counts.reduce((sum, n) => sum + n, 0);
  const found = counts.map((count, i) => [count, i]).filter(([count]) => count).sort((a, b) => b[0] - a[0]);
  const word = ([count, i]) => el("li", {}, sign(i), el("span", { class: "name" }, names[i]), percent(count / total));
  const rest = found.length - 6;
  return [
    stacked(counts.map((count, i) => ({ count, ...look(i) })), 8, "mix"),
    el("ul", { class: "mix-names" }, found.slice(0, 6).map(word), rest > 0 ? el("li", {}, `and ${rest} more`) : null),
  ];
}

function valuesOf(node) {
  if (!node.telling.length) {
    return node.size ? [el("p", { class: "small" }, `Values of fewer than ${data.about.few} rows are not shown.`)] : [];
  }
  const head = node.parent < 0 ? "Columns that tell most" : "Columns that differ most from all rows";
  const key = node.parent < 0 ? "" : "Dark: these rows; light: all rows. ";
  const numbers = node.telling.some(({ feature }) => data.features[feature].kind !== "indicator");
  const shares = node.telling.some(({ feature }) => data.features[feature].kind === "indicator");
  const bar = "Numbers: first quartile | median | third quartile; the bar spans the quartiles, its line is the median.";
  const hint = [numbers ? bar : "", shares ? "Categories: the bar is the fraction of the rows." : ""].filter(Boolean).join(" ");
  return [
    el("h4", {}, head),
    el("p", { class: "small" }, key + hint),
    el("table", { class: "quartiles" }, el("tbody", {}, node.telling.map((found) => valueRow(found, node.parent < 0)))),
  ];
}

// A feature: numbers on the left; on the right its bar above that of all rows.
function valueRow(found, isRoot) {
  const feature = data.features[found.feature];
  const missing = found.missing ? el("small", {}, `${counted(found.missing)} missing`) : null;
  const line = (who, values) => {
    const words = feature.kind === "indicator" ? percent(values.mean)
      : `${values.quartiles.map((value) => shown(value, feature.year, feature.unit)).join(" | ")}, mean ${shown(values.mean, feature.year, feature.unit)}`;
    return el("small", {}, isRoot ? words : `${who} ${words}`);
  };
  return el("tr", {},
    el("td", {}, el("span", { class: "name" }, feature.name), line("here", found), isRoot ? null : line("all", feature), missing),
    el("td", {}, quartileBars(found, feature, isRoot)));
}

function quartileBars(found, feature, isRoot) {
  const own = feature.kind === "indicator" ? [0, found.mean, found.mean] : found.quartiles;
  const all = feature.kind === "indicator" ? [0, feature.mean, feature.mean] : feature.quartiles;
  const every = feature.kind === "indicator" ? [0, 1] : [...own, ...all];
  const [low, high] = [Math.min(...every), Math.max(...every)];
  const x = (v) => 4 + (high > low ? (v - low) / (high - low) : 0.5) * 98;
  const bar = ([a, middle, b], y, cls) => [
    svg("rect", { class: cls, x: x(a), y, width: Math.max(2, x(b) - x(a)), height: 7, rx: 2 }),
    feature.kind === "indicator" ? null : svg("line", { class: "middle", x1: x(middle), x2: x(middle), y1: y - 2, y2: y + 9 }),
  ];
  const words = "quartiles and median" + (isRoot ? "" : " of these rows, above all rows");
  return svg("svg", { class: "boxes", viewBox: "0 0 106 30", width: 106, height: 30, role: "img", "aria-label": words },
    bar(own, 4, "own"), isRoot ? null : bar(all, 18, "all"));
}
