// Rename clusters in place, and save the page with the new names.

// The page before anything was drawn: this is what is saved, with the new names.
const pristine = document.documentElement.cloneNode(true);

function rename(k, name) {
  data.clusters[k].name = name;
  (data.renamed ??= {})[k] = name;
  for (const place of document.querySelectorAll(`[data-name="${k}"]`)) place.textContent = name;
  data.nodes.forEach((node, number) => {
    if (node.children.length || node.cluster !== k) return;
    node.name = name;
    const title = boxes[number].querySelector(".title");
    title.textContent = title.title = name;
    boxes[number].setAttribute("aria-label", labelOf(number));
  });
  arrange();
  showPanel(state.chosen);
  drawCharts();
  showRow(Number(byId("row")?.value) || 0);
  tellNames();
}

// The error message of an invalid name, or an empty string.
function wrongName(k, name) {
  if (!name) return "A group needs a name.";
  const other = data.clusters.findIndex((cluster, i) => i !== k && cluster.name === name);
  return other < 0 ? "" : `Group ${other} already has this name.`;
}

function editName(k) {
  const head = document.querySelector(`.cluster [data-name="${k}"]`);
  const button = document.querySelector(`[data-edit="${k}"]`);
  const input = el("input", { type: "text", class: "new-name", "aria-label": "The name of this group", maxlength: 120 });
  const error = el("span", { class: "error", role: "alert" });
  input.value = data.clusters[k].name;
  head.hidden = button.hidden = true;
  head.after(input, error);
  input.focus();
  input.select();
  let open = true;
  const close = (name) => {
    // Removing the input blurs it, which would call this again.
    if (!open) return;
    open = false;
    input.remove();
    error.remove();
    head.hidden = button.hidden = false;
    if (name !== null && name !== data.clusters[k].name) rename(k, name);
    button.focus({ preventScroll: true });
  };
  const accept = (last) => {
    const name = input.value.trim();
    const wrong = wrongName(k, name);
    if (!wrong) close(name);
    else if (last) close(null);
    else error.textContent = wrong;
  };
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    // The button gets the focus back and must not receive the same key.
    event.preventDefault();
    if (event.key === "Enter") accept(false);
    else close(null);
  });
  input.addEventListener("blur", () => accept(true));
}

// Quoted for a shell.
const quoted = (text) => (/^[\w.+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function tellNames() {
  const changed = Object.entries(data.renamed ?? {});
  byId("renamed").hidden = !changed.length;
  byId("rename-command").textContent = "agathis rename model.json " + changed.map(([k, name]) => `${k}=${quoted(name)}`).join(" ");
}

// The whole page with the names that clusters have now.
function savedPage() {
  const page = pristine.cloneNode(true);
  // Escaped as the template does, so that no text can close the element.
  page.querySelector("#data").textContent = JSON.stringify(data).replace(/[<>&]/g, (sign) => "\\u00" + sign.charCodeAt(0).toString(16));
  data.clusters.forEach((cluster, k) => {
    for (const place of page.querySelectorAll(`[data-name="${k}"]`)) place.textContent = cluster.name;
  });
  return "<!doctype html>\n" + page.outerHTML + "\n";
}

function listenToNames() {
  byId("clusters").addEventListener("click", (event) => {
    const k = event.target.closest("[data-edit]")?.dataset.edit;
    if (k !== undefined) editName(Number(k));
  });
  byId("save").addEventListener("click", () => download(fileName(".html"), savedPage(), "text/html"));
  tellNames();
}
