// The tree as a picture to keep: what is unfolded, on white, with nothing of the page around it.

const PICTURE = { ink: "#1c2329", soft: "#5a646d", line: "#c9cdc8", strong: "#9aa39f", card: "#ffffff", font: "Helvetica, Arial, sans-serif" };

function treePicture() {
  const plan = places("across", state.folded);
  const shape = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width: Math.ceil(plan.width), height: Math.ceil(plan.height),
    viewBox: `0 0 ${Math.ceil(plan.width)} ${Math.ceil(plan.height)}`, "font-family": PICTURE.font },
  svg("rect", { width: "100%", height: "100%", fill: PICTURE.card }));
  const text = (x, y, words, size, fill, more = {}) => svg("text", { x, y, "font-size": size, fill, ...more }, words);
  for (const number of plan.seen) {
    const { parent, share } = data.nodes[number];
    if (parent < 0) continue;
    shape.append(svg("path", { d: linkBetween("across", plan.at.get(parent), plan.at.get(number)), fill: "none", stroke: PICTURE.line, "stroke-width": (1 + 9 * share).toFixed(2) }));
  }
  for (const number of plan.seen) {
    const node = data.nodes[number];
    const at = plan.at.get(number);
    const leaf = !node.children.length;
    const { colour, ink } = data.clusters[node.cluster];
    const on = leaf ? ink : PICTURE.ink;
    shape.append(...[svg("rect", { x: at.left, y: at.top, width: at.width, height: at.height, rx: 8, fill: leaf ? colour : PICTURE.card, stroke: leaf ? "none" : PICTURE.strong }),
      linesOf(node.name, at.width - 20, NAME.font, plan.box.names).map((words, i) =>
        text(at.left + 10, at.top + 18 + 16 * i, words, 13, on, { "font-weight": 600 })),
      text(at.left + 10, at.top + at.height - 9, `${counted(node.size)} · ${percent(node.share)}`, 11.5, leaf ? ink : PICTURE.soft)].flat());
    if (node.condition) shape.append(text(at.left - 5, at.top + at.height / 2 - 5, cutTo(node.condition, at.words + 2, "12px"), 12, PICTURE.ink, { "text-anchor": "end" }));
  }
  return { text: new XMLSerializer().serializeToString(shape), width: Math.ceil(plan.width), height: Math.ceil(plan.height) };
}

// Words in at most so many lines.
function linesOf(words, width, font, most) {
  pen.font = `${font} ${PICTURE.font}`;
  const lines = [""];
  for (const word of words.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (pen.measureText(longer).width <= width || lines.length === most || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line) => cutTo(line, width, font));
}

// Words that fit a width.
function cutTo(words, width, font) {
  pen.font = `${font} ${PICTURE.font}`;
  if (pen.measureText(words).width <= width) return words;
  let short = words;
  while (short && pen.measureText(`${short}…`).width > width) short = short.slice(0, -1);
  return `${short}…`;
}

async function treePixels() {
  const { text, width, height } = treePicture();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  // Sharp on paper, and no larger than browsers draw.
  const scale = Math.min(3, 12_000 / Math.max(width, height));
  const sheet = el("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
  return new Promise((done) => sheet.toBlob(done, "image/png"));
}

function listenToPictures() {
  byId("to-svg").addEventListener("click", () => download(fileName("-tree.svg"), treePicture().text, "image/svg+xml"));
  byId("to-png").addEventListener("click", async () => download(fileName("-tree.png"), await treePixels()));
}
