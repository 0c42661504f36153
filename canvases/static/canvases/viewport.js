// Pan and zoom of the drawing. `kept` says what a new drawing keeps: the whole in view, the opening view, or, once
// the reader has moved it, exactly what they see.

const LEAST = 0.08;
const MOST = 4;
const DRAG_PX = 4;
export const GAP = 24;
export const READABLE = 0.93; // letters of 13 pixels become 12
const LARGEST = 1.15;
const IN_VIEW = 80;
const FOOT = 60; // where the buttons are

export class Viewport {
  constructor(stage, world, onChange) {
    this.stage = stage;
    this.world = world;
    this.onChange = onChange;
    this.x = 0;
    this.y = 0;
    this.scale = 1;
    this.kept = "opened";
    this.pointers = new Map();
    this.dragged = false;
    stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    stage.addEventListener("pointerdown", (event) => this.down(event));
    stage.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, (event) => this.up(event));
    new ResizeObserver(() => this.kept === "whole" && this.fit()).observe(stage);
  }

  apply() {
    this.world.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
    this.stage.style.backgroundPosition = `${this.x}px ${this.y}px`;
    this.onChange();
  }

  /** Show the whole drawing. */
  fit() {
    const { wide, high, whole, width, height } = this.measure();
    this.place(whole, (wide - width * whole) / 2, Math.max(GAP, (high - FOOT - height * whole) / 3), "whole");
  }

  /** Show the whole drawing if it can be read at that size, else as much as can be, around `element`. */
  open(element) {
    const { wide, high, whole, width, height } = this.measure();
    if (whole >= READABLE || !element) {
      this.fit();
      this.kept = "opened";
      return;
    }
    const across = (wide - 2 * GAP) / width;
    const scale = Math.max(READABLE, Math.min(across, LARGEST));
    this.place(scale, this.x, this.y, "opened");
    const [box, stage] = [element.getBoundingClientRect(), this.stage.getBoundingClientRect()];
    const x = this.x + stage.left + wide / 2 - box.left - box.width / 2;
    const y = this.y + stage.top + high / 2 - box.top - box.height / 2;
    this.place(scale, inside(x, wide, width * scale, GAP), inside(y, high, height * scale, FOOT), "opened");
  }

  measure() {
    const svg = this.world.querySelector("svg");
    const [width, height] = svg ? size(svg) : [1, 1];
    const [wide, high] = [this.stage.clientWidth, this.stage.clientHeight];
    const whole = Math.min((wide - 2 * GAP) / width, (high - GAP - FOOT) / height, LARGEST);
    return { wide, high, width, height, whole: Math.max(LEAST, whole) };
  }

  place(scale, x, y, kept) {
    [this.scale, this.x, this.y, this.kept] = [scale, x, y, kept];
    this.apply();
  }

  zoom(factor, at) {
    const box = this.stage.getBoundingClientRect();
    const x = at ? at.x - box.left : box.width / 2;
    const y = at ? at.y - box.top : box.height / 2;
    const scale = Math.max(LEAST, Math.min(MOST, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.kept = "view";
    this.apply();
  }

  /** Move the drawing; some of it always stays in view. */
  pan(dx, dy) {
    const { wide, high, width, height } = this.measure();
    this.x = Math.max(IN_VIEW - width * this.scale, Math.min(wide - IN_VIEW, this.x + dx));
    this.y = Math.max(IN_VIEW - height * this.scale, Math.min(high - IN_VIEW, this.y + dy));
    this.kept = "view";
    this.apply();
  }

  /** Bring an element into view with the least movement. */
  reveal(element) {
    const [box, stage] = [element.getBoundingClientRect(), this.stage.getBoundingClientRect()];
    const dx = shift(box.left, box.right, stage.left + GAP, stage.right - GAP);
    const dy = shift(box.top, box.bottom, stage.top + FOOT, stage.bottom - FOOT);
    if (dx || dy) this.pan(dx, dy);
  }

  /** Read on with the wheel; zoom with Ctrl and the wheel, which is also what pinching a touchpad sends. */
  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 18 : 1;
    if (!event.ctrlKey && !event.metaKey) {
      const [across, down] = event.shiftKey && !event.deltaX ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
      this.pan(-across * lines, -down * lines);
      return;
    }
    const delta = Math.max(-60, Math.min(60, event.deltaY * lines));
    this.zoom(Math.exp(-delta * 0.006), { x: event.clientX, y: event.clientY });
  }

  down(event) {
    if (event.button > 0 || event.target.closest("button")) return;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.start = { x: event.clientX, y: event.clientY };
    if (this.pointers.size === 1) this.dragged = false;
  }

  move(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const now = { x: event.clientX, y: event.clientY };
    if (this.pointers.size === 2) this.pinch(event.pointerId, now);
    else if (this.dragged || Math.hypot(now.x - this.start.x, now.y - this.start.y) > DRAG_PX) {
      // Captured only once it is a drag: a captured pointer's click would miss the node.
      if (!this.dragged) this.stage.setPointerCapture(event.pointerId);
      this.dragged = true;
      this.stage.classList.add("panning");
      this.pan(now.x - last.x, now.y - last.y);
    } else return;
    this.pointers.set(event.pointerId, now);
  }

  pinch(id, now) {
    const old = this.pointers.get(id);
    const other = [...this.pointers].find(([key]) => key !== id)[1];
    const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
    const before = Math.hypot(old.x - other.x, old.y - other.y) || 1;
    this.dragged = true;
    this.zoom(Math.hypot(now.x - other.x, now.y - other.y) / before, middle);
    this.pan((now.x - old.x) / 2, (now.y - old.y) / 2);
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    if (!this.pointers.size) this.stage.classList.remove("panning");
  }
}

function size(svg) {
  const box = svg.viewBox.baseVal;
  return [box.width || svg.clientWidth || 1, box.height || svg.clientHeight || 1];
}

/** Keep one edge of what is larger than its room from leaving it; centre what is smaller. */
function inside(at, room, length, end) {
  if (length <= room - GAP - end) return (room - length) / 2;
  return Math.min(GAP, Math.max(room - length - end, at));
}

function shift(low, high, floor, ceiling) {
  if (high - low > ceiling - floor || low < floor) return floor - low;
  return high > ceiling ? ceiling - high : 0;
}
