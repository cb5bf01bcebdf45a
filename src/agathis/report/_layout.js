// Where boxes stand. "across": the root on the left, leaves evenly below each other, a parent half-way
// between its children. "outline": one box a line, deeper ones further in, for narrow pages.

const ACROSS = { width: 150, broadest: 300, height: 42, gap: 88, widest: 320, apart: 10, border: 22 };
const OUTLINE = { height: 58, apart: 8, inset: 16, border: 10 };
// Names that are longer than a box is wide have a second line.
const SECOND = 17;

// The nodes that are not inside a folded one, as they are read.
function unfolded(folded) {
  const out = [];
  const todo = [0];
  while (todo.length) {
    const node = todo.pop();
    out.push(node);
    if (!folded.has(node)) todo.push(...data.nodes[node].children.toReversed());
  }
  return out;
}

const depthOf = (node) => pathTo(node).length - 1;

// Beside the words on a line: the handle and the bend before them, the box after them.
const BESIDE = 40;
const pen = document.createElement("canvas").getContext("2d");

// How far apart two depths are: so far that the words on the lines to the deeper one are whole.
function gapBefore(nodes) {
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const words = Math.max(0, ...nodes.map((node) => pen.measureText(data.nodes[node].condition).width));
  return Math.min(ACROSS.widest, Math.max(ACROSS.gap, Math.ceil(words) + BESIDE));
}

// How wide names are, the longest of them.
function longest(nodes) {
  pen.font = `600 13px ${getComputedStyle(document.body).fontFamily}`;
  return Math.ceil(Math.max(0, ...nodes.map((node) => pen.measureText(data.nodes[node].name).width)));
}

// Boxes so wide that the longest name is whole, in one line or in two.
function boxSize(nodes) {
  const room = longest(nodes) + 24;
  if (room <= 200) return { width: Math.max(ACROSS.width, room), height: ACROSS.height };
  // Two lines are broken between words, so that half is not quite enough.
  return { width: Math.min(ACROSS.broadest, Math.max(200, Math.ceil(room / 2) + 70)), height: ACROSS.height + SECOND };
}

// Places of boxes: `at` has left, top, width and height of each node that is seen.
function places(kind, folded, room, close = false) {
  const seen = unfolded(folded);
  return kind === "outline" ? outline(seen, room) : across(seen, folded, close);
}

function across(seen, folded, close) {
  const { border } = ACROSS;
  const { width, height } = boxSize(seen);
  const pitch = height + (close ? 3 : ACROSS.apart);
  const middle = new Map();
  let leaves = 0;
  for (const node of seen) {
    const open = data.nodes[node].children.length && !folded.has(node);
    if (!open) middle.set(node, border + height / 2 + pitch * leaves++);
  }
  for (const node of seen.toReversed()) {
    if (middle.has(node)) continue;
    const [a, b] = data.nodes[node].children;
    middle.set(node, (middle.get(a) + middle.get(b)) / 2);
  }
  // Of each depth, where its boxes begin and what is between it and the depth before.
  const levels = [];
  for (const node of seen) (levels[depthOf(node)] ??= []).push(node);
  const gaps = levels.map((nodes, depth) => (depth ? gapBefore(nodes) : 0));
  const lefts = [border];
  for (let depth = 1; depth < levels.length; depth++) lefts[depth] = lefts[depth - 1] + width + gaps[depth];
  const at = new Map(seen.map((node) => {
    const depth = depthOf(node);
    return [node, { left: lefts[depth], top: middle.get(node) - height / 2, width, height, words: gaps[depth] - BESIDE }];
  }));
  return { at, seen, ...extent(at, border) };
}

function outline(seen, room) {
  const { inset, border } = OUTLINE;
  const deepest = Math.max(...seen.map(depthOf));
  // In a deep tree the steps are smaller, so that boxes keep some width.
  const step = Math.min(inset, (room - 2 * border) * 0.4 / Math.max(1, deepest));
  const narrowest = Math.min(room - 2 * border - deepest * step, 420);
  const height = OUTLINE.height + (longest(seen) + 64 > narrowest ? SECOND : 0);
  const pitch = height + OUTLINE.apart;
  const at = new Map(seen.map((node, i) => {
    const left = border + depthOf(node) * step;
    return [node, { left, top: border + i * pitch, width: Math.min(room - border - left, 420), height }];
  }));
  return { at, seen, ...extent(at, border) };
}

function extent(at, border) {
  const boxes = [...at.values()];
  return {
    width: Math.max(...boxes.map((box) => box.left + box.width)) + border,
    height: Math.max(...boxes.map((box) => box.top + box.height)) + border,
  };
}

// The line from a parent to a child, as the data of a path.
function linkBetween(kind, from, to) {
  if (kind === "outline") {
    const x = from.left + Math.min(8, (to.left - from.left) / 2);
    return `M${x} ${from.top + from.height}V${to.top + to.height / 2}H${to.left}`;
  }
  const [x0, y0] = [from.left + from.width, from.top + from.height / 2];
  const [x1, y1] = [to.left, to.top + to.height / 2];
  // Level along the words above it, steep before.
  const bend = x0 + 18;
  return `M${x0} ${y0}C${bend} ${y0} ${x0 + 2} ${y1} ${bend + 12} ${y1}H${x1}`;
}
