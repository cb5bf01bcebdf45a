// The layout of the tree. "across": the root on the left, leaves evenly spaced, parents centred on their
// children; the condition of a node is on its line or, if that is too wide for the view, in its box.
// "outline": one node per line, indented by depth, for narrow pages.

const ACROSS = { width: 150, narrowest: 104, broadest: 300, height: 42, gap: 88, widest: 320, apart: 10, border: 22 };
const INSIDE = { gap: 32, step: 10 };
const OUTLINE = { apart: 8, inset: 16, border: 10, broadest: 420 };
// The height of a line of a name and of a condition in a box, and the maximum number of lines.
const NAME = { font: "600 13px", line: 17, most: 6 };
const ASKED = { font: "11.5px", line: 15, most: 4 };
// Space beside the text of a box: its padding, and the handle in an outline.
const EDGES = 24;
const HANDLE = 40;
// The minimum zoom at which no narrower layout is tried.
const LARGE = 0.95;

// The visible nodes, in reading order.
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

// Space beside the text on a line: the handle and the bend before it, the box after it.
const BESIDE = 40;
const pen = document.createElement("canvas").getContext("2d");
const measured = new Map();

function wide(words, font) {
  const key = `${font} ${words}`;
  if (!measured.has(key)) {
    pen.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
    measured.set(key, pen.measureText(words).width);
  }
  return measured.get(key);
}

// The number of lines of wrapped text; words that are too long are broken.
function lineCount(words, { font }, room) {
  let [lines, used] = [1, 0];
  for (const word of words.split(" ")) {
    const length = wide(word, font);
    const before = used ? wide(" ", font) : 0;
    if (used + before + length <= room) {
      used += before + length;
      continue;
    }
    if (used) lines++;
    lines += Math.max(0, Math.ceil(length / room) - 1);
    used = length % room;
  }
  return lines;
}

const nameOf = (node) => data.nodes[node].name;
// With the name of the column, which otherwise is in the box of the parent.
const askedOf = (node) => (data.nodes[node].condition ? `${nameOf(data.nodes[node].parent)} ${data.nodes[node].condition}` : "");
const linesOfAll = (nodes, wordsOf, style, room) => Math.max(1, ...nodes.map((node) => lineCount(wordsOf(node), style, room)));

// The space before nodes of a depth, so that the text on their lines is complete.
function gapBefore(nodes) {
  const words = Math.max(0, ...nodes.map((node) => wide(data.nodes[node].condition, "12px")));
  return Math.min(ACROSS.widest, Math.max(ACROSS.gap, Math.ceil(words) + BESIDE));
}

// Boxes of a width: their height, and the lines of names and, if inside, of conditions.
function boxFor(nodes, width, beside, inside) {
  const needed = [linesOfAll(nodes, nameOf, NAME, width - beside), inside ? linesOfAll(nodes, askedOf, ASKED, width - beside) : 0];
  const [names, asked] = [Math.min(needed[0], NAME.most), Math.min(needed[1], ASKED.most)];
  const height = ACROSS.height + NAME.line * (names - 1) + ASKED.line * asked;
  return { width, height, names, asked, inside, cut: names < needed[0] || asked < needed[1] };
}

// Boxes in which the longest name fits on one line or two.
function boxOf(nodes) {
  const room = Math.ceil(Math.max(0, ...nodes.map((node) => wide(nameOf(node), NAME.font)))) + EDGES;
  // Lines are broken between words, so that half the width is not enough for two.
  const width = room <= 200 ? Math.max(ACROSS.width, room) : Math.min(ACROSS.broadest, Math.max(200, Math.ceil(room / 2) + 70));
  return boxFor(nodes, width, EDGES, false);
}

// Positions of boxes: `at` has left, top, width and height of each visible node. `room` and `tall` are
// the size of the view; without them a tree across is as wide as its text.
function places(kind, folded, { room = 0, tall = Infinity, close = false } = {}) {
  const seen = unfolded(folded);
  return kind === "outline" ? outline(seen, room) : across(seen, folded, room, tall, close);
}

// With conditions on the lines, or in boxes of the width with the largest text in the view.
function across(seen, folded, room, tall, close) {
  // Truncated text is worse than small text.
  const size = (plan) => (room ? Math.min(1, room / plan.width, tall / plan.height) * (plan.box.cut ? 0.6 : 1) : 1);
  let best = laid(seen, folded, close, boxOf(seen));
  if (size(best) >= LARGE) return best;
  for (let { broadest: width } = ACROSS; width >= ACROSS.narrowest; width -= INSIDE.step) {
    const plan = laid(seen, folded, close, boxFor(seen, width, EDGES, true));
    if (size(plan) > size(best)) best = plan;
  }
  return best;
}

function laid(seen, folded, close, box) {
  const { border } = ACROSS;
  const { width, height } = box;
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
  // The left edge of each depth and the space before it.
  const levels = [];
  for (const node of seen) (levels[depthOf(node)] ??= []).push(node);
  const gaps = levels.map((nodes, depth) => (depth ? (box.inside ? INSIDE.gap : gapBefore(nodes)) : 0));
  const lefts = [border];
  for (let depth = 1; depth < levels.length; depth++) lefts[depth] = lefts[depth - 1] + width + gaps[depth];
  const at = new Map(seen.map((node) => {
    const depth = depthOf(node);
    const words = box.inside ? 0 : gaps[depth] - BESIDE;
    return [node, { left: lefts[depth], top: middle.get(node) - height / 2, width, height, words }];
  }));
  return { at, seen, box, ...extent(at, border) };
}

function outline(seen, room) {
  const { inset, border, broadest } = OUTLINE;
  const deepest = Math.max(...seen.map(depthOf));
  // Deep trees have smaller steps, so that boxes are wide enough.
  const step = Math.min(inset, (room - 2 * border) * 0.4 / Math.max(1, deepest));
  const at = new Map();
  const box = { inside: true, names: 1, asked: 1 };
  let top = border;
  for (const node of seen) {
    const left = border + depthOf(node) * step;
    const width = Math.min(room - border - left, broadest);
    const { height, names, asked } = boxFor([node], width, EDGES + HANDLE, true);
    at.set(node, { left, top, width, height });
    top += height + OUTLINE.apart;
    Object.assign(box, { names: Math.max(box.names, names), asked: Math.max(box.asked, asked) });
  }
  return { at, seen, box, ...extent(at, border) };
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
  // Horizontal along the text above it, steep before.
  const bend = x0 + 18;
  return `M${x0} ${y0}C${bend} ${y0} ${x0 + 2} ${y1} ${bend + 12} ${y1}H${x1}`;
}
