// The address is the state: ask the server for this address again and put in place only what differs.

const served = new Map();
let pressed = null;
let skipped = false;

/** Keep what the server gave for each piece, before anything on the page is decorated. */
export function remember(root) {
  for (const piece of root.querySelectorAll("[data-piece]")) served.set(piece.id, piece.outerHTML);
}

/** Fetch the fragment of the present address. Resolves to the ids of changed pieces; null when nothing is new. */
export async function refresh(version) {
  const asked = location.href;
  const address = new URL(asked);
  address.hash = "";
  if (version !== undefined) address.searchParams.set("_version", version);
  const response = await fetch(address, { headers: { "HX-Request": "true", "HX-Current-URL": asked } });
  const elsewhere = response.headers.get("HX-Redirect") || (response.redirected && response.url);
  if (elsewhere) {
    location.assign(elsewhere);
    return null;
  }
  if (response.status === 204) return null;
  if (!response.ok) throw new Error(`The server answered ${response.status}`);
  const fragment = new DOMParser().parseFromString(await response.text(), "text/html");
  return location.href === asked ? swap(fragment) : refresh();
}

function swap(fragment) {
  const changed = new Set();
  for (const fresh of fragment.querySelectorAll("[data-piece]")) {
    const old = document.getElementById(fresh.id);
    const html = fresh.outerHTML;
    if (!old || served.get(fresh.id) === html) continue;
    if (old === pressed) {
      skipped = true;
      continue;
    }
    if (old.dataset.grown === fresh.dataset.node && old.dataset.grown !== undefined) continue;
    served.set(fresh.id, html);
    put(old, document.importNode(fresh, true));
    changed.add(fresh.id);
  }
  const version = fragment.querySelector("[data-version]")?.dataset.version;
  if (version) document.querySelector("main").dataset.version = version;
  document.dispatchEvent(new CustomEvent("pieces", { detail: changed }));
  return changed;
}

// What is being pressed or dragged stays: a link taken away between press and release would lose its click.
document.addEventListener("pointerdown", (event) => {
  pressed = event.target.closest("[data-piece]");
});
for (const name of ["pointerup", "pointercancel"]) {
  document.addEventListener(name, () => setTimeout(release));
}

function release() {
  pressed = null;
  if (!skipped) return;
  skipped = false;
  refresh().catch(() => {});
}

function put(old, fresh) {
  const focus = old.contains(document.activeElement) ? mark(document.activeElement) : null;
  const [left, top] = [old.scrollLeft, old.scrollTop];
  const open = [...old.querySelectorAll("details")].map((details) => details.open);
  old.replaceWith(fresh);
  fresh.querySelectorAll("details").forEach((details, place) => {
    details.open = open[place] ?? details.open;
  });
  fresh.scrollTo(left, top);
  window.htmx?.process(fresh);
  if (focus) fresh.querySelector(focus)?.focus({ preventScroll: true });
}

function mark(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  if (element.dataset.node) return `[data-node="${CSS.escape(element.dataset.node)}"]`;
  if (element.rel) return `[rel="${CSS.escape(element.rel)}"]`;
  const href = element.getAttribute("href");
  return href ? `[href="${CSS.escape(href)}"]` : null;
}
