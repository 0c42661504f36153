// Every page: times in the reader's own zone, copy buttons, the sheet of keys, j and k.

import { remember } from "./pieces.js";
import "./live.js";

const clock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat([], { day: "numeric", month: "short", year: "numeric" });
const whole = new Intl.DateTimeFormat([], { dateStyle: "full", timeStyle: "long" });

function timeText(moment) {
  const today = moment.toDateString() === new Date().toDateString();
  return today ? clock.format(moment) : `${day.format(moment)} ${clock.format(moment)}`;
}

function ageText(moment) {
  const seconds = Math.max(0, (Date.now() - moment) / 1000);
  if (seconds < 10) return "just now";
  if (seconds < 60) return `${Math.floor(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 30 * 86400) return `${Math.floor(seconds / 86400)} d ago`;
  return day.format(moment);
}

function decorate(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    time.textContent = time.closest("[data-age]") ? ageText(moment) : timeText(moment);
    time.title = whole.format(moment);
  }
  for (const button of root.querySelectorAll(".copy[hidden], [data-help][hidden]")) button.hidden = false;
}

function news(id) {
  const piece = document.getElementById(id);
  if (id === "nodes") return `Updated: ${piece.querySelector("h2").textContent}`;
  const rows = piece.querySelectorAll("[data-row]").length;
  return `Updated: ${rows} ${id === "rows" ? "calls" : "sessions"} shown`;
}

async function copy(button) {
  const text = button.dataset.copy;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = Object.assign(document.createElement("textarea"), { value: text, className: "heard" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.classList.add("copied");
  document.getElementById("news").textContent = "Copied";
  setTimeout(() => button.classList.remove("copied"), 1200);
}

function step(by) {
  const way = document.querySelector(by > 0 ? ".crumbs [rel=next]" : ".crumbs [rel=prev]");
  if (document.querySelector(".crumbs .steps")) {
    way?.click();
    return;
  }
  const rows = [...document.querySelectorAll("[data-row]")].filter((row) => row.offsetParent !== null);
  if (!rows.length) return;
  const at = rows.findIndex((row) => row.classList.contains("at"));
  const row = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))];
  rows[at]?.classList.remove("at");
  row.classList.add("at");
  (row.matches("a") ? row : row.querySelector("a")).focus();
}

/** Say whether a key press is meant for the page and not for a field, a shortcut of the browser, or a dialog. */
export function forPage(event) {
  const typing = event.target.closest?.("input:not([type=range]), textarea, select, [contenteditable]");
  return !(typing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented);
}

remember(document);
decorate(document);
document.addEventListener("pieces", (event) => {
  for (const id of event.detail) decorate(document.getElementById(id));
  const said = ["nodes", "rows", "sessions"].find((id) => event.detail.has(id));
  if (said) document.getElementById("news").textContent = news(said);
});
document.addEventListener("htmx:afterSettle", () => decorate(document));
setInterval(() => decorate(document), 20_000);

document.addEventListener("click", (event) => {
  const button = event.target.closest(".copy");
  if (button) copy(button);
  if (event.target.closest("[data-help]")) document.getElementById("help").showModal();
});
document.addEventListener("keydown", (event) => {
  const help = document.getElementById("help");
  if (!forPage(event) || help.open) return;
  if (event.key === "?") help.showModal();
  else if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
});
