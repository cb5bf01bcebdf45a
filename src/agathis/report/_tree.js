// The interactive tree: fold, select, move with the keyboard, pan and zoom.

const view = byId("view");
const canvas = byId("canvas");
const tip = byId("tip");
const links = svg("svg", { "aria-hidden": "true" });
const boxes = [];
const TALL = 780; // maximum height of the view
const PAPER = { outline: { room: 420 }, across: { room: 690, tall: 840, close: true } };
const EASY = 18; // maximum number of boxes below each other before the tree is folded
const NARROW = 640; // narrower views show an outline
const READABLE = 0.6; // minimum zoom at which text is readable

const state = {
  folded: new Set(), // nodes whose children are hidden
  chosen: 0, // the node in the panel
  active: 0, // the node with the keyboard focus
  way: new Set(), // the path of the row that was looked up
  kind: "across",
  scale: 1,
  left: 0,
  top: 0,
  plan: null, // the last layout
  paper: false,
};

function labelOf(number) {
  const node = data.nodes[number];
  const words = node.children.length ? `split on ${node.name}` : node.name;
  return [node.condition, words, counted(node.size)].filter(Boolean).join(", ");
}

function makeBoxes() {
  canvas.append(links);
  for (const [number, node] of data.nodes.entries()) {
    const leaf = !node.children.length;
    const when = node.condition ? el("span", { class: "when", title: askedOf(number) },
      el("span", { class: "of" }, `${nameOf(node.parent)} `), node.condition) : null;
    const box = el("div", { class: "box" },
      el("span", { class: "title", title: node.name }, node.name),
      el("span", { class: "fact" }, `${counted(node.size)} · ${percent(node.share)}`),
      leaf ? null : stacked(node.mix.map((count, k) => ({ count, class: `k${k}` })), 4, "strip"));
    const item = el("div", {
      class: leaf ? `node leaf k${node.cluster}` : "node split", role: "treeitem", tabindex: "-1", "data-node": number,
      "aria-level": depthOf(number) + 1,
      "aria-label": labelOf(number),
      "aria-expanded": leaf ? null : "true",
    }, box, leaf ? null : el("button", { class: "handle", type: "button", tabindex: "-1", "aria-hidden": "true" }, "−"));
    if (when) item.prepend(when);
    boxes.push(item);
  }
  // In reading order, for screen readers.
  canvas.append(...unfolded(new Set()).map((number) => boxes[number]));
}

function arrange() {
  const room = view.clientWidth;
  if (!state.paper) state.kind = room < NARROW ? "outline" : "across";
  const plan = places(state.kind, state.folded, state.paper ? PAPER[state.kind] : { room, tall: TALL });
  state.plan = plan;
  const { inside, names, asked } = plan.box;
  view.classList.toggle("outline", state.kind === "outline");
  view.classList.toggle("inside", inside);
  canvas.style.setProperty("--names", names);
  canvas.style.setProperty("--asked", asked);
  boxes.forEach((item, number) => {
    const at = plan.at.get(number);
    const node = data.nodes[number];
    item.hidden = !at;
    const when = item.querySelector(".when");
    if (when) (inside ? item.querySelector(".box") : item).prepend(when);
    if (node.children.length) {
      const folded = state.folded.has(number);
      item.setAttribute("aria-expanded", String(!folded));
      item.querySelector(".handle").textContent = folded ? "+" : "−";
      item.querySelector(".fact").textContent = folded
        ? `${node.n_leaves} leaves · ${percent(node.share)}` : `${counted(node.size)} · ${percent(node.share)}`;
    }
    item.setAttribute("aria-selected", String(number === state.chosen));
    item.tabIndex = number === state.active ? 0 : -1;
    item.classList.toggle("way", state.way.has(number));
    if (when && at) when.style.maxWidth = at.words ? `${at.words + 2}px` : "";
    if (at) Object.assign(item.style, { left: `${at.left}px`, top: `${at.top}px`, width: `${at.width}px`, height: `${at.height}px` });
  });
  links.replaceChildren(...plan.seen.filter((number) => number > 0).map((number) => {
    const node = data.nodes[number];
    const wide = state.kind === "outline" ? 1.5 : 1 + 9 * node.share;
    return svg("path", {
      class: state.way.has(number) ? "link way" : "link", "stroke-width": wide.toFixed(2),
      d: linkBetween(state.kind, plan.at.get(node.parent), plan.at.get(number)),
    });
  }));
  links.setAttribute("width", plan.width);
  links.setAttribute("height", plan.height);
  move();
}

const besidePanel = () => byId("panel").offsetTop === view.offsetTop;

// Put the canvas where `left`, `top` and `scale` say, without losing it.
function move() {
  const { plan, scale, kind, paper } = state;
  const [wide, high] = [plan.width * scale, plan.height * scale];
  if (kind === "outline" || paper) {
    state.top = 0;
    state.left = paper ? 0 : Math.min(0, Math.max(state.left, view.clientWidth - wide));
    view.style.height = `${Math.ceil(high) + 2}px`;
  } else {
    const least = besidePanel() ? 500 : 260;
    view.style.height = `${Math.round(Math.min(Math.max(high, least), TALL))}px`;
    const [spareX, spareY] = [view.clientWidth - wide, view.clientHeight - high];
    state.left = spareX > 0 ? spareX / 2 : Math.min(0, Math.max(state.left, spareX));
    state.top = spareY > 0 ? spareY / 2 : Math.min(0, Math.max(state.top, spareY));
  }
  byId("panel").style.maxHeight = besidePanel() ? view.style.height : "";
  // Paper is cut into pages before anything is transformed.
  canvas.style.zoom = paper ? scale : "";
  canvas.style.transform = paper ? "" : `translate(${state.left}px, ${state.top}px) scale(${scale})`;
}

// Zoom by a factor, with the point of the view that is given staying where it is.
function zoom(factor, x = view.clientWidth / 2, y = view.clientHeight / 2) {
  const scale = Math.min(3, Math.max(0.15, state.scale * factor));
  state.left = x - ((x - state.left) * scale) / state.scale;
  state.top = y - ((y - state.top) * scale) / state.scale;
  state.scale = scale;
  hideTip();
  move();
}

// The whole tree, or with `least` no smaller than that, with the root in sight.
function fit(least = 0) {
  const { plan, kind } = state;
  const across = view.clientWidth / plan.width;
  state.scale = kind === "outline" ? 1 : Math.min(1.2, Math.max(least, Math.min(across, TALL / plan.height)));
  state.left = 0;
  state.top = kind === "outline" ? 0 : TALL / 2 - (plan.at.get(0).top + plan.at.get(0).height / 2) * state.scale;
  move();
}

function toggle(number, folded = !state.folded.has(number)) {
  if (!data.nodes[number].children.length) return;
  if (folded) state.folded.add(number);
  else state.folded.delete(number);
  hideTip();
  arrange();
}

function choose(number) {
  state.chosen = state.active = number;
  showPanel(number);
  arrange();
}

// The keyboard goes to a node, and the view with it.
function goTo(number) {
  state.active = number;
  arrange();
  if (state.kind === "across") {
    const at = state.plan.at.get(number);
    const [x, y] = [state.left + at.left * state.scale, state.top + at.top * state.scale];
    const over = (place, size, whole) => (place < 20 ? 20 - place : place + size > whole - 20 ? whole - 20 - place - size : 0);
    state.left += over(x, at.width * state.scale, view.clientWidth);
    state.top += over(y, at.height * state.scale, view.clientHeight);
    move();
  }
  boxes[number].focus({ preventScroll: state.kind === "across" });
}

const keys = {
  ArrowDown: (seen, i) => goTo(seen[Math.min(i + 1, seen.length - 1)]),
  ArrowUp: (seen, i) => goTo(seen[Math.max(i - 1, 0)]),
  ArrowRight: (seen, i) => {
    const { children } = data.nodes[seen[i]];
    if (state.folded.has(seen[i])) toggle(seen[i], false);
    else if (children.length) goTo(children[0]);
  },
  ArrowLeft: (seen, i) => {
    const { children, parent } = data.nodes[seen[i]];
    if (children.length && !state.folded.has(seen[i])) toggle(seen[i], true);
    else if (parent >= 0) goTo(parent);
  },
  Home: (seen) => goTo(seen[0]),
  End: (seen) => goTo(seen.at(-1)),
  Enter: (seen, i) => choose(seen[i]),
  " ": (seen, i) => (data.nodes[seen[i]].children.length ? toggle(seen[i]) : choose(seen[i])),
  "+": () => zoom(1.25),
  "-": () => zoom(0.8),
  0: () => fit(),
};

function showTip(number) {
  const node = data.nodes[number];
  if (!node.children.length || !node.histogram || state.folded.has(number)) return hideTip();
  tip.replaceChildren(el("b", { class: "name" }, node.name), ...histogram(node));
  tip.hidden = false;
  const at = boxes[number].getBoundingClientRect();
  const { offsetWidth: wide, offsetHeight: high } = tip;
  const below = at.bottom + 10 + high < window.innerHeight;
  if (besidePanel()) {
    // Over the panel, so that the branches stay in sight.
    const { left } = byId("panel").getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(left, window.innerWidth - wide - 8))}px`;
    tip.style.top = `${Math.max(8, Math.min(at.top, window.innerHeight - high - 8))}px`;
    return;
  }
  tip.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - wide - 8))}px`;
  tip.style.top = `${below ? at.bottom + 10 : Math.max(8, at.top - high - 10)}px`;
}

function hideTip() {
  tip.hidden = true;
}

const numberOf = (target) => {
  const item = target.closest?.(".node");
  return item ? Number(item.dataset.node) : null;
};

function listenToTree() {
  let moved = 0;
  const fingers = new Map();
  canvas.addEventListener("keydown", (event) => {
    const key = keys[event.key];
    if (!key || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const seen = unfolded(state.folded);
    key(seen, Math.max(0, seen.indexOf(state.active)));
  });
  canvas.addEventListener("click", (event) => {
    const number = numberOf(event.target);
    if (number === null || moved > 5) return;
    if (event.target.closest(".handle")) toggle(number);
    else choose(number);
    boxes[number].focus({ preventScroll: true });
    if (state.kind === "outline" && !event.target.closest(".handle")) byId("panel").scrollIntoView({ block: "nearest" });
  });
  canvas.addEventListener("pointerover", (event) => {
    const number = numberOf(event.target);
    if (number !== null && event.pointerType === "mouse" && !fingers.size) showTip(number);
  });
  canvas.addEventListener("pointerout", hideTip);
  canvas.addEventListener("focusin", (event) => {
    const number = numberOf(event.target);
    if (number !== null && event.target.matches(":focus-visible")) showTip(number);
  });
  canvas.addEventListener("focusout", hideTip);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
  document.addEventListener("scroll", hideTip, { passive: true });

  view.addEventListener("wheel", (event) => {
    // A wheel alone scrolls the page; a pinch on a touchpad comes with ctrl.
    if (!event.ctrlKey) return;
    event.preventDefault();
    const frame = view.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 300), event.clientX - frame.left, event.clientY - frame.top);
  }, { passive: false });
  view.addEventListener("pointerdown", (event) => {
    if (state.kind === "outline" || event.button > 0) return;
    if (!fingers.size) moved = 0;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  window.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const step = [now[0] - before[0], now[1] - before[1]];
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    fingers.set(event.pointerId, now);
    moved += Math.abs(step[0]) + Math.abs(step[1]);
    if (moved <= 5) return;
    view.classList.add("held");
    hideTip();
    if (other) {
      const apart = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]) || 1;
      const frame = view.getBoundingClientRect();
      zoom(apart(now) / apart(before), (now[0] + other[0]) / 2 - frame.left, (now[1] + other[1]) / 2 - frame.top);
    }
    state.left += step[0] / fingers.size;
    state.top += step[1] / fingers.size;
    move();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(end, (event) => {
      fingers.delete(event.pointerId);
      if (!fingers.size) view.classList.remove("held");
    });
  }
  byId("zoom-in").addEventListener("click", () => zoom(1.25));
  byId("zoom-out").addEventListener("click", () => zoom(0.8));
  byId("zoom-fit").addEventListener("click", () => fit());
  byId("expand").addEventListener("click", () => {
    state.folded.clear();
    arrange();
    fit();
  });
  byId("fold").addEventListener("click", () => {
    foldMore();
    if (!unfolded(state.folded).includes(state.active)) state.active = 0;
    arrange();
    fit(READABLE);
  });
}

// Fold all splits of one depth.
function foldAt(depth) {
  data.nodes.forEach((node, number) => depthOf(number) === depth && node.children.length && state.folded.add(number));
}

// Fold to the third level first, then a level more each time.
function foldMore() {
  const open = unfolded(state.folded).filter((node) => data.nodes[node].children.length && !state.folded.has(node));
  if (open.length) foldAt(Math.min(2, Math.max(...open.map(depthOf))));
}

// Fold the lower levels of a large tree, so that the rest is readable.
function foldMost() {
  const ends = (depth) => data.nodes.filter((node, number) =>
    depthOf(number) === depth || (depthOf(number) < depth && !node.children.length)).length;
  let depth = 2;
  while (ends(depth + 1) <= EASY) depth++;
  foldAt(depth);
  const room = view.clientWidth;
  const isSmall = () => {
    const { width, height } = places("across", state.folded, { room, tall: TALL });
    return Math.min(room / width, TALL / height) < READABLE;
  };
  while (room >= NARROW && depth > 2 && isSmall()) foldAt(--depth);
}

// On paper everything is unfolded and fits a page; an outline only where the tree would be tiny.
function toPaper() {
  const { room, tall } = PAPER.across;
  const [across, outline] = ["across", "outline"].map((kind) => {
    const plan = places(kind, new Set(), PAPER[kind]);
    return { kind, scale: Math.min(1, room / plan.width, tall / plan.height) };
  });
  const best = across.scale >= Math.min(0.6, outline.scale) ? across : outline;
  const kept = { ...state, folded: new Set(state.folded) };
  Object.assign(state, best, { paper: true, folded: new Set() });
  arrange();
  return () => {
    Object.assign(state, kept);
    arrange();
  };
}
