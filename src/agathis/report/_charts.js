// Marks, bars, histograms, small distributions and the plane: each returns an SVG element.

// Corners on circles: `radii` are taken in turn, the first corner is at `turn` degrees from the top.
function corners(count, radii, turn = 0) {
  return Array.from({ length: count }, (_, i) => {
    const angle = ((turn + (360 * i) / count) * Math.PI) / 180;
    const radius = radii[i % radii.length];
    return [radius * Math.sin(angle), -radius * Math.cos(angle)];
  });
}

const cross = [[-1, -3], [1, -3], [1, -1], [3, -1], [3, 1], [1, 1], [1, 3], [-1, 3], [-1, 1], [-3, 1], [-3, -1], [-1, -1]]
  .map(([x, y]) => [x / 3, y / 3]);
const markers = {
  s: corners(4, [1.2], 45), D: corners(4, [1.2]), p: corners(5, [1.12]), "*": corners(10, [1.25, 0.55]),
  "^": corners(3, [1.2]), v: corners(3, [1.2], 180), "<": corners(3, [1.2], -90), ">": corners(3, [1.2], 90),
  P: cross, X: cross.map(([x, y]) => [(x - y) * 0.75, (x + y) * 0.75]),
};

// The mark of a cluster around a point, as the data of a path.
function markAt(marker, x, y, r) {
  const shape = markers[marker];
  if (!shape) return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  return "M" + shape.map(([a, b]) => `${(x + a * r).toFixed(2)} ${(y + b * r).toFixed(2)}`).join("L") + "z";
}

function mark(cluster, size = 14) {
  const path = svg("path", { d: markAt(data.clusters[cluster].marker, 0, 0, 6) });
  return svg("svg", { class: `mark k${cluster}`, viewBox: "-8 -8 16 16", width: size, height: size, "aria-hidden": "true" }, path);
}

// A stacked bar; a part has a class and a count.
function stacked(parts, height, className) {
  const total = parts.reduce((sum, part) => sum + part.count, 0) || 1;
  let x = 0;
  const rects = parts.filter((part) => part.count).map((part) => {
    const width = (100 * part.count) / total;
    const rect = svg("rect", { class: part.class, x: `${x}%`, width: `${width}%`, height, opacity: part.opacity ?? null });
    x += width;
    return rect;
  });
  return svg("svg", { class: className, width: "100%", height, "aria-hidden": "true" }, rects);
}

// Round numbers from low to high.
function ticks(low, high, about) {
  const rough = (high - low) / about;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * (1 - 1e-9));
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) out.push(Number((i * step).toPrecision(12)));
  return out;
}

// The values of a split on both of its sides.
function histogram(node) {
  const { histogram: h, children } = node;
  const isYear = node.feature !== null && data.features[node.feature].year;
  const [width, height, foot, head] = [300, 118, 18, 14];
  const [left, right] = h.counts;
  const most = Math.max(...left.map((n, i) => n + right[i]), 1);
  const step = width / left.length;
  const high = (n) => (n / most) * (height - foot - head);
  const bars = left.flatMap((n, i) => {
    const base = height - foot;
    const gap = left.length > 40 ? 0 : Math.min(1.5, step * 0.12);
    const bar = (cls, y, size) =>
      size > 0 ? svg("rect", { class: cls, x: i * step + gap / 2, y, width: step - gap, height: size }) : null;
    return [bar("left", base - high(n), high(n)), bar("right", base - high(n) - high(right[i]), high(right[i]))];
  });
  // Labels that would overlap are listed below, by number.
  const numbered = h.labels?.some((label) => wide(label, "11px") > step - 4);
  const text = (x, words, anchor, cls = null) => svg("text", { x, y: height - 4, "text-anchor": anchor, class: cls }, words);
  const marks = [svg("line", { class: "axis", x1: 0, x2: width, y1: height - foot, y2: height - foot })];
  if (h.labels) {
    h.labels.forEach((label, i) => marks.push(text((i + 0.5) * step, numbered ? String(i + 1) : label, "middle")));
  } else {
    const [first, size, count] = h.scale;
    const at = (value) => (width * (value - first)) / (size * count);
    for (const tick of ticks(first, first + size * count, 5)) {
      const x = at(tick);
      marks.push(svg("line", { class: "axis", x1: x, x2: x, y1: height - foot, y2: height - foot + 3 }));
      const anchor = x < 14 ? "start" : x > width - 14 ? "end" : "middle";
      marks.push(text(x, isYear ? shown(tick, true) : brief(tick), anchor));
    }
    if (h.threshold !== null) {
      const x = at(h.threshold);
      const anchor = x < 30 ? "start" : x > width - 30 ? "end" : "middle";
      marks.push(svg("line", { class: "cut", x1: x, x2: x, y1: head - 2, y2: height - foot }));
      marks.push(svg("text", { class: "dark", x, y: 9, "text-anchor": anchor }, h.written ?? shown(h.threshold, isYear)));
    }
  }
  const chart = svg("svg", { class: "histogram", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Distribution of ${node.name} on both sides of the split` }, bars, marks);
  const key = (side, child, missing) => el("li", {}, el("span", { class: `key ${side}` }),
    el("span", { class: "what" }, data.nodes[child].condition), counted(data.nodes[child].size) + (missing ? ` (${missing} missing)` : ""));
  const names = numbered ? el("ol", { class: "bar-names" }, h.labels.map((label) => el("li", {}, label))) : null;
  return [chart, ...(names ? [names] : []), el("ul", { class: "keys" }, key("left", children[0], h.missing[0]), key("right", children[1], h.missing[1]))];
}

// A number at an axis, where there is little room.
function brief(value) {
  if (Math.abs(value) < 1e4) return shown(value);
  return value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 }).replaceAll("-", "−");
}

// Axes with a grid; returns the SVG and the two maps from values to positions.
function axes(xs, ys, names, room, format) {
  const width = Math.max(280, Math.min(room, 720));
  const [height, foot, top, end] = [Math.max(260, width * 0.66), 40, 10, 12];
  const span = ([low, high]) => (high > low ? [low, high] : [low - 0.5, low + 0.5]);
  const [[x0, x1], [y0, y1]] = [span(xs), span(ys)];
  const levels = ticks(y0, y1, 5).map((tick) => [tick, format(tick)]);
  const left = 30 + 6.4 * Math.max(...levels.map(([, words]) => words.length));
  const x = (v) => left + ((v - x0) / (x1 - x0)) * (width - left - end);
  const y = (v) => height - foot - ((v - y0) / (y1 - y0)) * (height - foot - top);
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": names.join(" and ") });
  for (const [tick, words] of levels) {
    chart.append(svg("line", { class: "grid", x1: left, x2: width - end, y1: y(tick), y2: y(tick) }),
      svg("text", { x: left - 7, y: y(tick) + 4, "text-anchor": "end" }, words));
  }
  for (const tick of ticks(x0, x1, width / 80)) {
    chart.append(svg("text", { x: x(tick), y: height - foot + 16, "text-anchor": "middle" }, brief(tick)));
  }
  chart.append(
    svg("line", { class: "axis", x1: left, x2: width - end, y1: height - foot, y2: height - foot }),
    svg("text", { class: "dark", x: (left + width - end) / 2, y: height - 6, "text-anchor": "middle" }, names[0]),
    svg("text", { class: "dark", transform: `translate(12 ${(height - foot + top) / 2}) rotate(-90)`, "text-anchor": "middle" }, names[1]),
  );
  return { chart, x, y };
}

// Clip a polygon to a x + b y <= c.
function clipped(corners, [a, b, c]) {
  const beyond = ([px, py]) => a * px + b * py - c;
  return corners.flatMap((there, i) => {
    const here = corners.at(i - 1);
    const [from, to] = [beyond(here), beyond(there)];
    const share = from / (from - to);
    const between = from > 0 !== to > 0 ? [here.map((v, side) => v + (there[side] - v) * share)] : [];
    return to <= 0 ? [...between, there] : between;
  });
}

const ends = ([first, step, count]) => [first, first + step * count];

function planeChart(room) {
  const { x: xs, y: ys, cells, points, regions, axes: names, kind } = data.plane;
  let [[x0, x1], [y0, y1]] = [ends(xs), ends(ys)];
  for (const [px, py] of points ?? []) {
    [x0, x1, y0, y1] = [Math.min(x0, px), Math.max(x1, px), Math.min(y0, py), Math.max(y1, py)];
  }
  const format = kind === "feature" ? (k) => data.clusters[k]?.name.slice(0, 9) ?? "" : brief;
  const { chart, x, y } = axes([x0, x1], [y0, y1], names, room, format);
  const within = (v, low, high) => Math.min(Math.max(v, low), high);
  for (const [k, low, high, bottom, top, lines] of regions ?? []) {
    const [a, b] = [within(low ?? x0, x0, x1), within(high ?? x1, x0, x1)];
    const [c, d] = [within(top ?? y1, y0, y1), within(bottom ?? y0, y0, y1)];
    if (!lines.length) {
      chart.append(svg("rect", { class: `region k${k}`, x: x(a), y: y(c), width: x(b) - x(a), height: y(d) - y(c) }));
      continue;
    }
    const corners = lines.reduce(clipped, [[a, d], [b, d], [b, c], [a, c]]);
    if (corners.length < 3) continue;
    chart.append(svg("polygon", { class: `region k${k}`, points: corners.map(([px, py]) => `${x(px).toFixed(2)},${y(py).toFixed(2)}`).join(" ") }));
  }
  const most = Math.max(...cells.map((cell) => cell[2]), 1);
  const unit = Math.min(x(xs[0] + xs[1]) - x(xs[0]), y(ys[0]) - y(ys[0] + ys[1]), 24) / 2;
  const put = (k, px, py, r, words, opacity = null) => chart.append(svg("g", { class: `mark k${k}`, opacity },
    svg("path", { d: markAt(data.clusters[k].marker, px, py, r) }, svg("title", {}, words))));
  for (const [i, j, count, k, share] of cells) {
    const r = unit * (0.28 + 0.62 * Math.sqrt(count / most));
    put(k, x(xs[0] + (i + 0.5) * xs[1]), y(ys[0] + (j + 0.5) * ys[1]), r,
      `${counted(count)}, ${percent(share)} in ${data.clusters[k].name}`);
  }
  for (const [px, py, k, row] of points ?? []) {
    put(k, x(px), y(py), points.length > 1000 ? 2.2 : 3.4, `row ${row}, ${data.clusters[k].name}`, 0.8);
  }
  return chart;
}

function planeHint() {
  const { explained, points, kind, scaled, n_missing: missing, n_rows: n } = data.plane;
  const what = points
    ? (points.length + missing < n ? `${points.length.toLocaleString("en")} of ${counted(n)}. ` : "Each mark is a row. ")
    : "Each mark is a bin of rows, drawn as their most frequent group; its size shows the number of rows. ";
  const where = kind !== "components" ? "" :
    `The axes are the first two principal components of the ${scaled ? "scaled rows" : "rows"}, with ${percent(explained[0] + explained[1])} of the variance. `;
  return what + where + (missing ? `${counted(missing)} with missing values are not shown.` : "");
}

// The histogram of a column: fractions of all rows in grey, of those of a cluster in front.
function distribution(item, cluster) {
  const [width, height] = [128, 38];
  const cell = cluster === null ? null : item.clusters[cluster];
  const shares = (part) => {
    const total = part.counts.reduce((sum, n) => sum + n, 0) + part.missing || 1;
    return [...part.counts, ...(item.missing ? [part.missing] : [])].map((n) => n / total);
  };
  const [whole, front] = [shares(item), cell ? shares(cell) : null];
  const most = Math.max(...whole, ...(front ?? [0]), 1e-9);
  const n = item.counts.length;
  // Missing values are separate, on the right.
  const apart = item.missing ? 6 : 0;
  const wide = (width - apart) / whole.length;
  const gap = item.labels ? Math.min(3, wide * 0.2) : 0;
  const bars = (values, cls) => values.map((share, i) => {
    if (!(share > 0)) return null;
    const high = Math.max(0.8, (share / most) * (height - 2));
    return svg("rect", { class: i === n ? `${cls} gone` : cls, x: (i * wide + gap / 2 + (i === n ? apart : 0)).toFixed(2), y: (height - high).toFixed(2), width: (wide - gap).toFixed(2), height: high.toFixed(2) },
      item.labels || i === n ? svg("title", {}, `${i === n ? "missing" : item.labels[i]}: ${percent(share)}`) : null);
  });
  return svg("svg", { class: "small-chart", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", width, height, role: "img",
    "aria-label": `Distribution of ${item.name}, ${cluster === null ? "all rows" : data.clusters[cluster].name}` },
  bars(whole, front ? "whole" : "whole alone"), front ? bars(front, "front") : null,
  svg("line", { class: "axis", x1: 0, x2: width - (apart ? wide + apart : 0), y1: height - 0.5, y2: height - 0.5 }));
}
