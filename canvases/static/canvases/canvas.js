// The canvas page: the drawing follows the address and the news; the reader's view and choice stay.

import { draw } from "./drawing.js";
import { columnsFor } from "./layout.js";
import { forPage } from "./page.js";
import { refresh } from "./pieces.js";
import { GAP, READABLE, Viewport } from "./viewport.js";

const MOST_NODES = 150;
const WAYS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);
const stage = document.getElementById("stage");
const world = stage.querySelector(".world");
const note = stage.querySelector(".stage-note");
const kept = `view:${location.pathname}`;
const view = new Viewport(stage, world, () => {
  const seen = [view.scale, view.x, view.y, drawnRoom?.columns];
  sessionStorage.setItem(kept, view.kept === "view" ? JSON.stringify(seen) : view.kept);
});
let slid = null;
let resized = null;
let drawnKey = null;
let drawnSource = null;
let drawnRoom = null;

world.classList.add("drawn");
stage.querySelector(".zoom").hidden = false;

function chosen() {
  return new URLSearchParams(location.search).get("node");
}

function nodeOf(id) {
  return id && world.querySelector(`g.node[data-node="${CSS.escape(id)}"]`);
}

function rowOf(id) {
  return document.querySelector(`#nodes [data-node="${CSS.escape(id)}"]`);
}

function nodeIds() {
  return [...document.querySelectorAll("#nodes [data-node]")].map((row) => row.dataset.node);
}

// --- the drawing

/** The nodes in order, each with the phase it belongs to, as the list has them. */
function nodesInOrder() {
  let title = "";
  let last = null;
  return [...document.querySelectorAll("#nodes [data-node]")].map((row) => {
    const phase = Number(row.dataset.phase);
    const heading = row.parentElement.previousElementSibling;
    if (phase !== last) title = heading?.matches(".phase") ? heading.textContent.trim() : "";
    last = phase;
    return { id: row.dataset.node, phase, title, earlier: row.dataset.act === "earlier" };
  });
}

function redraw(force = false) {
  const piece = document.getElementById("drawing");
  const source = piece.textContent;
  const key = piece.dataset.key;
  const room = columnsFor(stage.clientWidth - 2 * GAP, READABLE);
  if (source === drawnSource && same(room, drawnRoom) && !force) return;
  if (Number(piece.dataset.nodes) > MOST_NODES && drawnSource === null && !force) {
    offer(piece.dataset.nodes);
    return;
  }
  draw(source, nodesInOrder(), room, (svg, error) => {
    if (error) warn(error);
    else take(svg, source, key, room);
  });
}

function same(room, other) {
  return room.columns === other?.columns && room.card === other.card;
}

function offer(nodes) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "primary" });
  button.textContent = `Draw ${nodes} nodes`;
  button.addEventListener("click", () => redraw(true));
  note.replaceChildren("A large canvas: the list is quicker to read. ", button);
}

function warn(error) {
  const line = String(error?.message || error).split("\n").slice(0, 2).join(" ").slice(0, 300);
  const last = drawnKey ? `What you see is revision ${drawnKey.split(".")[1]}.` : "The list of nodes is complete.";
  note.classList.add("warn");
  note.textContent = `This revision could not be drawn. ${last} (${line})`;
}

function take(svg, source, key, room) {
  const focused = document.activeElement?.closest?.("g.node")?.dataset.node;
  const anchor = drawnSource === null || view.kept === "view" ? nearest() : null;
  const before = anchor && nodeOf(anchor).getBoundingClientRect();
  const known = new Set([...world.querySelectorAll("g.node")].map((node) => node.dataset.node));
  world.replaceChildren(svg);
  note.classList.remove("warn");
  note.textContent = "";
  if (known.size) {
    for (const node of svg.querySelectorAll("g.node")) node.classList.toggle("fresh", !known.has(node.dataset.node));
  }
  const first = drawnSource === null;
  [drawnSource, drawnKey, drawnRoom] = [source, key, room];
  if (first) restore();
  else if (before) hold(anchor, before);
  else frame();
  name();
  choose(false);
  if (focused) walkTo(nodeOf(focused), false);
}

/** Name each node for those who hear it, as the list does. */
function name() {
  const nodes = [...world.querySelectorAll("g.node[data-node]")];
  for (const node of nodes) {
    const row = rowOf(node.dataset.node);
    const label = row?.querySelector(".node-label").textContent.trim() ?? node.dataset.node;
    const state = row?.querySelector(".node-state");
    const facts = state ? [state.firstChild.textContent.trim(), state.querySelector(".num").title] : [];
    node.setAttribute("aria-label", [label, ...facts].join(", "));
  }
  if (!world.querySelector('g.node[tabindex="0"]')) stopAt(nodeOf(chosen()) || nodeIds().map(nodeOf).find(Boolean));
}

/** Let Tab come to this node of the drawing; arrow keys lead to the others. */
function stopAt(node) {
  for (const other of world.querySelectorAll('g.node[tabindex="0"]')) other.setAttribute("tabindex", "-1");
  node?.setAttribute("tabindex", "0");
}

function walkTo(node, reveal = true) {
  if (!node) return;
  stopAt(node);
  node.focus({ preventScroll: true });
  if (reveal) view.reveal(node);
}

/** The node that an arrow key leads to: the next or last in order, or the nearest of the row above or below. */
function neighbour(node, key) {
  const order = nodeIds().map(nodeOf).filter(Boolean);
  const at = order.indexOf(node);
  if (key === "Home" || key === "End") return order.at(key === "Home" ? 0 : -1);
  const by = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  if (key === "ArrowLeft" || key === "ArrowRight" || node.dataset.row === undefined) return order[at + by];
  const row = order.filter((other) => Number(other.dataset.row) === Number(node.dataset.row) + by);
  const off = (other) => Math.abs(other.dataset.column - node.dataset.column);
  return row.sort((one, other) => off(one) - off(other))[0];
}

function restore() {
  const saved = sessionStorage.getItem(kept);
  if (saved?.startsWith("[")) {
    const [scale, x, y, columns] = JSON.parse(saved);
    if (columns === drawnRoom.columns) {
      view.place(scale, x, y, "view");
      return;
    }
  }
  view.kept = saved === "whole" ? saved : "opened";
  frame();
}

/** Put the drawing into view where the reader has not moved it: around the choice, where the work goes on, or,
 *  when it is done, where it begins. */
function frame() {
  if (view.kept === "whole") {
    view.fit();
    return;
  }
  const inOrder = nodeIds().map(nodeOf).filter(Boolean);
  const doing = inOrder.filter((node) => node.classList.contains("doing")).at(-1);
  view.open(nodeOf(chosen()) || doing || inOrder[0]);
}

/** The node that must not move when the drawing changes: the chosen one, or the one in the middle. */
function nearest() {
  if (nodeOf(chosen())) return chosen();
  const box = stage.getBoundingClientRect();
  const middle = (node) => {
    const own = node.getBoundingClientRect();
    return Math.hypot(own.x + own.width / 2 - box.x - box.width / 2, own.y + own.height / 2 - box.y - box.height / 2);
  };
  const nodes = [...world.querySelectorAll("g.node[data-node]")];
  return nodes.sort((one, other) => middle(one) - middle(other))[0]?.dataset.node ?? null;
}

function hold(id, before) {
  const node = nodeOf(id);
  if (!node) return;
  const now = node.getBoundingClientRect();
  view.pan(before.x - now.x, before.y - now.y);
}

// --- the choice

function choose(reveal = true) {
  const id = chosen();
  for (const node of world.querySelectorAll("g.node.chosen")) {
    node.classList.remove("chosen");
    node.removeAttribute("aria-current");
  }
  const node = nodeOf(id);
  if (node) {
    node.classList.add("chosen");
    node.setAttribute("aria-current", "true");
    stopAt(node);
    if (reveal) view.reveal(node);
  }
  // The list makes room once the node's calls are there: with the server away they may never come.
  document.getElementById("nodes").hidden = Boolean(id) && Boolean(document.getElementById("node")?.childElementCount);
}

async function go(address, { replace = false, focus = false } = {}) {
  const target = new URL(address, location.href);
  clearTimeout(slid);
  history[replace ? "replaceState" : "pushState"](null, "", target);
  choose();
  await sync();
  if (focus) panel()?.focus({ preventScroll: true });
}

function panel() {
  return document.getElementById("node").querySelector("a");
}

async function sync() {
  try {
    await refresh();
  } catch (error) {
    note.textContent = `${error.message}. What you see may be old.`;
  }
}

function address(changes) {
  const target = new URL(location.href);
  target.hash = "";
  target.searchParams.delete("after");
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) target.searchParams.delete(key);
    else target.searchParams.set(key, value);
  }
  return target;
}

function select(id, options) {
  if (id !== chosen()) go(address({ node: id }), options);
}

function stepNode(by) {
  const ids = nodeIds();
  const at = ids.indexOf(chosen());
  const next = at < 0 ? (by > 0 ? 0 : ids.length - 1) : at + by;
  if (ids[next]) select(ids[next], { replace: at >= 0 });
}

function leave() {
  const node = nodeOf(chosen());
  if (chosen()) go(address({ node: null }));
  walkTo(node, false);
}

// --- what the reader does

world.addEventListener("click", (event) => {
  const node = event.target.closest("g.node[data-node]");
  if (node) select(node.dataset.node);
});
world.addEventListener("keydown", (event) => {
  const node = event.target.closest("g.node[data-node]");
  if (!node || (event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  if (node.dataset.node === chosen()) panel()?.focus({ preventScroll: true });
  else select(node.dataset.node, { focus: true });
});
world.addEventListener("focusin", (event) => {
  const node = event.target.closest("g.node[data-node]");
  if (node?.matches(":focus-visible")) view.reveal(node);
});
stage.querySelector(".zoom").addEventListener("click", (event) => {
  const way = event.target.closest("button")?.dataset.zoom;
  if (way === "fit") view.fit();
  else if (way) view.zoom(way === "in" ? 1.25 : 0.8);
});
document.querySelector(".canvas-page").addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
  if (!link || !plain || link.classList.contains("more") || link.hash) return;
  const target = new URL(link.href);
  if (target.pathname !== location.pathname || target.searchParams.has("_format")) return;
  event.preventDefault();
  go(target);
});
/** Arrow keys go from node to node, from the drawing or from nowhere; everywhere else they do what they always do. */
function walk(event) {
  if (!WAYS.has(event.key) || event.shiftKey) return false;
  const at = event.target.closest?.("#stage g.node");
  if (!at && event.target !== document.body && event.target.id !== "main") return false;
  walkTo(at ? neighbour(at, event.key) : world.querySelector('g.node[tabindex="0"]'));
  return true;
}

document.addEventListener("keydown", (event) => {
  if (!forPage(event) || document.getElementById("help").open) return;
  if (walk(event)) {
    event.preventDefault();
    return;
  }
  const act = {
    f: () => view.fit(),
    "+": () => view.zoom(1.25),
    "=": () => view.zoom(1.25),
    "-": () => view.zoom(0.8),
    "[": () => document.querySelector("#revisions [rel=prev]")?.click(),
    "]": () => document.querySelector("#revisions [rel=next]")?.click(),
    j: () => stepNode(1),
    k: () => stepNode(-1),
    Escape: leave,
  }[event.key];
  if (!act) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  act();
}, { capture: true });

document.addEventListener("input", (event) => {
  if (event.target.id !== "rev") return;
  const { value, max } = event.target;
  clearTimeout(slid);
  slid = setTimeout(() => go(address({ rev: value === max ? null : value }), { replace: true }), 120);
});
document.addEventListener("htmx:afterSwap", (event) => {
  const panel = event.target.closest?.("#node") || document.getElementById("node");
  panel.dataset.grown = panel.dataset.node;
});

addEventListener("popstate", () => {
  choose();
  sync();
});
document.addEventListener("pieces", (event) => {
  if (event.detail.has("drawing")) document.querySelector("#switcher [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  redraw();
  if (event.detail.has("nodes")) name();
  if (event.detail.has("nodes") || event.detail.has("node")) choose(false);
});

document.querySelector("#switcher [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
redraw();
new ResizeObserver(() => {
  clearTimeout(resized);
  resized = setTimeout(() => drawnRoom && redraw(), 120);
}).observe(stage);
