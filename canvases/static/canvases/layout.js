// Where nodes and arrows stand: phases in reading order, as many nodes side by side as the page has room for, and
// each arrow from node to node. Mermaid has made the shapes, the words and the arrow heads.

const CARD = 256;
const WIDEST_CARD = 340;
const MOST_COLUMNS = 4;
const ACROSS = 64; // between two nodes of a row; a word on an arrow fits in
const DOWN = 40; // between two rows; two lanes of arrows fit in
const TITLE = 26;
const LANE = 14;
const MARGIN = 20;
const STEM = 44; // of an arrow in a single column, clear of round ends and of the title
const HEAD = 4; // by which an arrow head is longer than its line
const LABEL_HIGH = 9;
const SVG = "http://www.w3.org/2000/svg";

/** Return how many columns fit `room` pixels, shrunk no further than `least`, and how wide a node is then. */
export function columnsFor(room, least) {
  const fitting = Math.floor((room / least - MARGIN + ACROSS) / (CARD + ACROSS));
  const columns = Math.max(1, Math.min(MOST_COLUMNS, fitting));
  return { columns, card: columns > 1 ? CARD : Math.max(CARD, Math.min(WIDEST_CARD, room - 2)) };
}

/** Place the nodes of the drawing and lead its arrows. `nodes` are `{id, phase, title, earlier}` in order. */
export function place(svg, nodes, { columns, card }) {
  if (svg.querySelector("g.cluster")) return; // an older drawing, with rows that Mermaid laid out
  const drawn = new Map([...svg.querySelectorAll("g.node[data-node]")].map((node) => [node.dataset.node, node]));
  const told = new Set(nodes.map((node) => node.id));
  const rest = [...drawn.keys()].filter((id) => !told.has(id)).map((id) => ({ id, phase: 0, title: "" }));
  const all = [...nodes.filter((node) => drawn.has(node.id)), ...rest];
  if (!all.length) return;
  const found = rows(all, columns);
  const { boxes, titles, high } = stand(found, drawn, { columns, card });
  const wide = Math.max(...[...boxes.values()].map((box) => box.right));
  const reach = lead(svg, boxes, { columns, outer: wide, floor: high });
  title(svg, titles);
  const left = columns > 1 ? -MARGIN - 4 : -2;
  frame(svg, left, -2, reach.outer - left + 4, reach.floor + 4);
}

/** Put nodes side by side: long phases over several rows of like length, short neighbours in one row. */
function rows(nodes, columns) {
  const found = [];
  for (const phase of groups(nodes)) {
    const last = found.at(-1);
    const joins = last && phase.key > 0 && last.key > 0 && last.nodes.length + phase.nodes.length <= columns;
    if (joins) {
      last.titles.push([last.nodes.length, phase.title]);
      last.nodes.push(...phase.nodes);
      continue;
    }
    const count = Math.ceil(phase.nodes.length / columns);
    const edge = (number) => Math.ceil((phase.nodes.length * number) / count);
    for (let number = 0; number < count; number += 1) {
      const part = phase.nodes.slice(edge(number), edge(number + 1));
      found.push({ key: phase.key, nodes: part, titles: number ? [] : [[0, phase.title]] });
    }
  }
  return found;
}

function groups(nodes) {
  const found = [];
  for (const node of nodes) {
    const key = node.earlier ? -1 : node.phase;
    if (found.at(-1)?.key === key) found.at(-1).nodes.push(node);
    else found.push({ key, title: node.earlier ? "earlier work, folded" : node.title, nodes: [node] });
  }
  return found;
}

function stand(found, drawn, { columns, card }) {
  const boxes = new Map();
  const titles = [];
  const step = card + ACROSS;
  let y = 0;
  for (const [number, row] of found.entries()) {
    if (number) y += DOWN;
    const named = row.titles.filter(([, text]) => text);
    for (const [place, text] of named) {
      const next = row.titles.find(([other]) => other > place)?.[0] ?? Math.max(columns, row.nodes.length);
      const indent = columns > 1 || !number ? 0 : STEM + 14;
      titles.push({ text, x: place * step + indent, y, wide: (next - place) * step - ACROSS - indent });
    }
    if (named.length) y += TITLE;
    const sizes = row.nodes.map((node) => drawn.get(node.id).getBBox());
    const high = Math.max(...sizes.map((size) => size.height));
    for (const [place, node] of row.nodes.entries()) {
      const size = sizes[place];
      const [middle, centre] = [place * step + card / 2, y + high / 2];
      const element = drawn.get(node.id);
      element.setAttribute("transform", `translate(${middle - size.x - size.width / 2}, ${centre - size.y - size.height / 2})`);
      [element.dataset.row, element.dataset.column] = [number, place];
      boxes.set(node.id, {
        row: number, place, last: place === row.nodes.length - 1, middle, centre, floor: y + high,
        left: middle - size.width / 2, right: middle + size.width / 2,
        top: centre - size.height / 2, bottom: centre + size.height / 2,
      });
    }
    y += high;
  }
  return { boxes, titles, high: y };
}

/** Lead each arrow anew; returns how far right and down the drawing reaches with them. */
function lead(svg, boxes, { columns, outer, floor }) {
  for (const line of svg.querySelectorAll("path.flowchart-link")) {
    const ends = /L_(\d+-N\d+)_(\d+-N\d+)_\d+$/.exec(line.id);
    const [from, to] = [boxes.get(ends?.[1]), boxes.get(ends?.[2])];
    if (!from || !to) continue;
    const way = between(from, to, { columns, outer });
    outer = Math.max(outer, way.outer ?? 0);
    line.setAttribute("d", rounded(way.points));
    line.removeAttribute("data-points");
    const label = svg.querySelector(`.edgeLabels [data-id="L_${ends[1]}_${ends[2]}_0"]`)?.parentElement;
    label?.setAttribute("transform", `translate(${way.label.join(", ")})`);
    floor = Math.max(floor, ...way.points.map((point) => point[1]));
  }
  return { outer, floor };
}

function between(from, to, { columns, outer }) {
  if (to.row === from.row && to.place === from.place + 1) {
    const points = [[from.right, from.centre], [to.left, to.centre]];
    return { points, label: [(from.right + to.left) / 2, from.centre] };
  }
  const next = to.row === from.row + 1 && to.place === 0 && from.last;
  if (next && columns === 1) {
    const x = Math.min(from.left, to.left) + STEM;
    return { points: [[x, from.bottom], [x, to.top]], label: [x, from.bottom + LANE + 2] };
  }
  if (next) {
    const lane = from.floor + LANE;
    const points = [[from.middle, from.bottom], [from.middle, lane], [-MARGIN, lane], [-MARGIN, to.centre], [to.left, to.centre]];
    return { points, label: [from.middle - 54, lane] };
  }
  return around(from, to, outer);
}

/** Lead an arrow that leaves the order under the nodes, and, where it changes its row, past the right end. */
function around(from, to, outer) {
  const [out, into] = [from.right - 56, to.right - 40];
  const [lane, goal] = [from.floor + LANE + 12, to.floor + LANE + 12];
  const start = [[out, from.bottom], [out, lane]];
  const end = [[into, goal], [into, to.bottom]];
  if (from.row === to.row) return { points: [...start, ...end], label: [(out + into) / 2, lane] };
  const side = outer + 12;
  return { points: [...start, [side, lane], [side, goal], ...end], label: [out + 34, lane], outer: side };
}

function rounded(points) {
  const [before, tip] = points.slice(-2);
  const ends = [...points.slice(0, -1), toward(tip, before, HEAD)];
  const middle = ends.slice(1, -1).map((corner, place) => {
    const [last, next] = [ends[place], ends[place + 2]];
    const bend = Math.min(8, apart(last, corner) / 2, apart(corner, next) / 2);
    return `L${toward(corner, last, bend)}Q${corner} ${toward(corner, next, bend)}`;
  });
  return `M${ends[0]}${middle.join("")}L${ends.at(-1)}`;
}

function toward(from, to, by) {
  const whole = apart(from, to) || 1;
  return [from[0] + ((to[0] - from[0]) * by) / whole, from[1] + ((to[1] - from[1]) * by) / whole];
}

function apart(one, other) {
  return Math.hypot(one[0] - other[0], one[1] - other[1]);
}

function title(svg, titles) {
  const layer = document.createElementNS(SVG, "g");
  layer.setAttribute("class", "titles");
  for (const { text, x, y, wide } of titles) {
    const room = document.createElementNS(SVG, "foreignObject");
    const line = Object.assign(document.createElement("div"), { className: "row-title", textContent: text, title: text });
    line.dir = "auto";
    for (const [key, value] of Object.entries({ x, y: y - 2, width: Math.max(wide, 1), height: TITLE })) room.setAttribute(key, value);
    room.append(line);
    layer.append(room);
  }
  svg.querySelector("g.root").append(layer);
}

function frame(svg, x, y, width, height) {
  svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
}
