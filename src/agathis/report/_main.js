// Start the page: charts, tree, look-up, code to copy, dark mode, print layout.

function drawMarks() {
  for (const sign of document.querySelectorAll("svg[data-marker]")) {
    sign.append(svg("path", { d: markAt(data.clusters[sign.dataset.marker].marker, 0, 0, 6) }));
  }
}

// As wide as the element, so that labels keep their size on a phone.
function drawCharts(room = null) {
  byId("plane").replaceChildren(planeChart(room ?? byId("plane").clientWidth - 20));
}

// The small histograms of the profile, above the text of each cell.
function drawProfile() {
  for (const cell of document.querySelectorAll("td[data-cell]")) {
    cell.prepend(distribution(data.profile[cell.dataset.cell], cell.dataset.of === undefined ? null : Number(cell.dataset.of)));
  }
}

function showCode() {
  const put = (id, { text, error }) => {
    byId(id).textContent = text ?? `Not available: ${error}`;
  };
  const sql = () => put("sql", data.code.sql[byId("dialect").value]);
  byId("dialect").addEventListener("change", sql);
  sql();
  put("python", data.code.python);
  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", async () => {
      const done = await copied(byId(button.dataset.copy));
      button.textContent = done ? "Copied" : "Press Ctrl+C";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
  }
}

// Some browsers deny the clipboard to local files: then select the text, for the user to copy.
async function copied(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return document.execCommand("copy");
  }
}

function listenToTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  byId("theme").addEventListener("click", () => {
    const now = document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
    document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
  });
}

function listenToPrinter() {
  let back = null;
  const start = () => {
    if (back) return;
    const closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((details) => (details.open = true));
    const restore = toPaper();
    drawCharts(330); // half a page
    back = () => {
      closed.forEach((details) => (details.open = false));
      restore();
      drawCharts();
    };
  };
  const end = () => {
    back?.();
    back = null;
  };
  addEventListener("beforeprint", start);
  addEventListener("afterprint", end);
  matchMedia("print").addEventListener("change", (event) => (event.matches ? start() : end()));
}

drawMarks();
makeBoxes();
if (data.about.n_leaves > EASY) foldMost();
arrange();
fit(READABLE);
listenToTree();
choose(0);
byId("plane-hint").textContent = planeHint();
drawCharts();
drawProfile();
listenToLookup();
showCode();
listenToTheme();
listenToPrinter();
listenToNames();
listenToPictures();

let width = view.clientWidth;
new ResizeObserver(() => {
  if (view.clientWidth === width || state.paper) return;
  width = view.clientWidth;
  arrange();
  fit(READABLE);
  drawCharts();
}).observe(view);
