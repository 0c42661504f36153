// Mermaid makes the drawing off-screen; the page takes the finished picture, one at a time, newest last.

import { place } from "./layout.js";

const NODE = /-flowchart-(\d+-N\d+)-\d+$/;
let ready = false;
let count = 0;
let wanted = null;
let running = false;

function prepare() {
  if (ready) return;
  ready = true;
  window.mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    maxTextSize: 2_000_000,
    maxEdges: 10_000,
    theme: "base",
    fontFamily: getComputedStyle(document.body).fontFamily,
    themeVariables: { fontSize: "13px" },
    flowchart: { htmlLabels: true, useMaxWidth: false, wrappingWidth: 420, padding: 7 },
  });
}

/** Draw the source; of several asked for meanwhile only the newest is drawn. `take` gets the SVG or an error.
 *  `nodes` tells their order and phases, `room` the columns and the width of a node. */
export async function draw(source, nodes, room, take) {
  wanted = { source, nodes, room, take };
  if (running) return;
  running = true;
  while (wanted) {
    const { take: give, ...asked } = wanted;
    wanted = null;
    try {
      const svg = await render(asked);
      if (!wanted) give(svg, null);
    } catch (error) {
      if (!wanted) give(null, error);
    }
  }
  running = false;
}

async function render({ source, nodes, room }) {
  prepare();
  const desk = document.createElement("div");
  desk.className = "off-screen drawn";
  desk.style.setProperty("--card", `${room.card}px`);
  document.body.append(desk);
  try {
    count += 1;
    const { svg } = await window.mermaid.render(`drawing${count}`, source, desk);
    desk.innerHTML = svg;
    const picture = finished(desk.querySelector("svg"));
    place(picture, nodes, room);
    picture.style.setProperty("--card", `${room.card}px`);
    return picture;
  } finally {
    desk.remove();
  }
}

/** Give each drawn node its id, and make it something that can be pressed. */
function finished(svg) {
  const { width, height } = svg.viewBox.baseVal;
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  svg.removeAttribute("style");
  svg.removeAttribute("role");
  svg.removeAttribute("aria-roledescription");
  for (const lines of svg.querySelectorAll("g.edgePaths, g.edgeLabels")) lines.setAttribute("aria-hidden", "true");
  for (const node of svg.querySelectorAll("g.node")) {
    const found = NODE.exec(node.id);
    if (!found) continue;
    node.dataset.node = found[1];
    node.setAttribute("role", "button");
    node.setAttribute("tabindex", "-1");
    node.removeAttribute("title");
    part(node.querySelector(".nodeLabel p"));
  }
  return svg;
}

/** Mark the lines of a label (what, on what, found what) without changing its size. */
function part(label) {
  const texts = [...(label?.childNodes ?? [])].filter((child) => child.nodeType === Node.TEXT_NODE);
  for (const [place, text] of texts.entries()) {
    const line = document.createElement("span");
    line.className = ["head", "object"][place] ?? "finding-line";
    text.replaceWith(line);
    line.append(text);
  }
  for (const line of label?.querySelectorAll("br") ?? []) line.remove();
}
