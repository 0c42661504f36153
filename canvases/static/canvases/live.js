// One stream of versions per visible page; polling when it cannot be had; rest when hidden or paused.

import { refresh } from "./pieces.js";

const LEAST_MS = 250;
const POLL_MS = 3000;
const PATIENCE_MS = 5000;

const main = document.querySelector("main[data-live]");
const button = document.getElementById("live");
let source = null;
let timer = null;
let patience = null;
let paused = false;
let running = false;
let again = false;

/** Bring the page up to date; bursts of news make one request at a time and one after the last. */
export async function update() {
  if (running) {
    again = true;
    return;
  }
  running = true;
  try {
    await refresh(main.dataset.version);
  } catch {
    // The next news or poll asks again; the page keeps what it has.
  }
  await new Promise((done) => setTimeout(done, LEAST_MS));
  running = false;
  if (again) {
    again = false;
    update();
  }
}

function show(state, word) {
  if (!button) return;
  button.dataset.state = state;
  button.setAttribute("aria-pressed", String(paused));
  button.querySelector(".word").textContent = word;
}

function poll() {
  clearInterval(timer);
  timer = setInterval(update, Number(main.dataset.poll) * 1000 || POLL_MS);
}

function open() {
  close();
  if (main.dataset.poll) {
    poll();
    show("live", "live");
    return;
  }
  const address = new URL(main.dataset.events, location.href);
  address.searchParams.set("last_event_id", main.dataset.version);
  source = new EventSource(address);
  source.addEventListener("open", () => {
    clearTimeout(patience);
    clearInterval(timer);
    show("live", "live");
  });
  source.addEventListener("version", (event) => {
    if (JSON.parse(event.data).version > Number(main.dataset.version)) update();
  });
  source.addEventListener("error", fallBack);
  patience = setTimeout(fallBack, PATIENCE_MS);
}

function fallBack() {
  clearTimeout(patience);
  poll();
  show("polling", "polling");
  if (source?.readyState === EventSource.CLOSED) patience = setTimeout(open, 30_000);
}

function close() {
  clearTimeout(patience);
  clearInterval(timer);
  source?.close();
  source = null;
}

function settle() {
  if (paused || document.hidden) {
    close();
    if (paused) show("paused", "paused");
    return;
  }
  open();
  update();
}

if (main) {
  button?.addEventListener("click", () => {
    paused = !paused;
    settle();
  });
  document.addEventListener("visibilitychange", settle);
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && settle());
  if (!document.hidden) open();
}
