// Mermaid lays the drawing out off-screen; the page takes the finished picture, one at a time, newest last.

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
    flowchart: { htmlLabels: true, useMaxWidth: false, wrappingWidth: 210, nodeSpacing: 30, rankSpacing: 34, padding: 10 },
  });
}

/** Draw the source; of several asked for meanwhile only the newest is drawn. `take` gets the SVG or an error. */
export async function draw(source, take) {
  wanted = { source, take };
  if (running) return;
  running = true;
  while (wanted) {
    const { source: text, take: give } = wanted;
    wanted = null;
    try {
      const svg = await render(text);
      if (!wanted) give(svg, null);
    } catch (error) {
      if (!wanted) give(null, error);
    }
  }
  running = false;
}

async function render(source) {
  prepare();
  const room = document.createElement("div");
  room.className = "off-screen drawn";
  document.body.append(room);
  try {
    count += 1;
    const { svg } = await window.mermaid.render(`drawing${count}`, source, room);
    room.innerHTML = svg;
    return finished(room.querySelector("svg"));
  } finally {
    room.remove();
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
}
