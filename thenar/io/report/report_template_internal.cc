// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/report/report_template_internal.h"

namespace thenar::internal {

// Colours of lines, modes and verdicts are those of Okabe and Ito (2008), lighter on dark screens, with a violet and a
// grey in place of black and yellow among the lines.
const std::string_view kReportStyle = R"css(
:root {
  color-scheme: light dark;
  --bg: #fff; --card: #f6f7f9; --ink: #1a1e23; --soft: #5c6670; --edge: #d5dae0; --grid: #e8ebef; --now: #c2185b;
  --good: #00734f; --bad: #b03a00; --open: #dde2e8; --unique: #bfe3d3; --loose: #30363d;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #e69f00; --c5: #56b4e9; --c6: #6a4c93;
  --c7: #7a828b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #15181c; --card: #1d2126; --ink: #e6e9ed; --soft: #9aa4af; --edge: #363d45; --grid: #272c32; --now: #ff6fa8;
    --good: #3cc79b; --bad: #ff9155; --open: #353c44; --unique: #2b6a54; --loose: #e6e9ed;
    --c0: #4ba6e2; --c1: #ff8746; --c2: #27c496; --c3: #e29cc4; --c4: #f0b432; --c5: #93d2f7; --c6: #b69ae2;
    --c7: #a8b0b8;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 20px 24px 60px; max-width: 1500px; background: var(--bg); color: var(--ink);
  font: 13px/1.4 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
h1 { display: inline; margin: 0; font-size: 22px; font-weight: 600; overflow-wrap: anywhere; }
h2 { margin: 28px 0 8px; font-size: 16px; }
.status { margin-left: 10px; padding: 2px 10px; border-radius: 10px; color: var(--bg); font-weight: 600;
  vertical-align: 3px; }
.good { background: var(--good); }
.bad { background: var(--bad); }
.reason { margin: 8px 0 0; color: var(--bad); font-size: 14px; overflow-wrap: anywhere; }
.note { margin: 6px 0 0; color: var(--soft); }
.story { max-width: 1050px; margin: 0 0 16px; font-size: 15px; line-height: 1.5; }
.facts { display: flex; flex-wrap: wrap; gap: 8px 28px; margin: 14px 0 18px; padding: 10px 14px;
  background: var(--card); border: 1px solid var(--edge); border-radius: 6px; }
.facts dt { color: var(--soft); font-size: 12px; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; }
#stack { position: relative; }
.keys { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 0 0 6px; color: var(--soft); }
.keys b { color: var(--ink); font-weight: 600; }
.keys b + .key { margin-left: -4px; }
.key i { display: inline-block; width: 18px; height: 11px; margin-right: 5px; border-radius: 2px;
  vertical-align: -1px; }
.row { display: grid; grid-template-columns: 205px minmax(300px, 1fr) 250px; align-items: center; }
.row > svg { display: block; width: 100%; overflow: visible; cursor: crosshair; }
.label { padding-right: 12px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.label i { display: inline-block; width: 14px; margin-right: 6px; border-top: 2.5px solid var(--c);
  vertical-align: 4px; }
.label i.d1 { border-top-style: dashed; } .label i.d2 { border-top-style: dotted; }
.label small { margin-left: 6px; color: var(--soft); font-size: 12px; }
.read { padding-left: 14px; color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
.top { position: sticky; top: 0; z-index: 2; background: var(--bg); border-bottom: 1px solid var(--edge);
  margin-bottom: 4px; }
.axis { height: 30px; }
#told { padding: 2px 0 4px 205px; color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#told.event { color: var(--now); }
.axis svg { height: 30px; }
.axis .read { display: flex; gap: 10px; padding-left: 26px; align-items: center; color: var(--now); font-weight: 600; }
#all { font: inherit; font-weight: 400; padding: 1px 8px; }
.row > .lane { height: 16px; overflow: hidden; }
.verdict > .lane { height: 18px; }
.row.verdict { margin-bottom: 5px; }
.row.marks { border-top: 1px solid var(--grid); }
.row.marks > .lane { height: 15px; }
.mode.row { margin-bottom: 2px; }
.lane { background: var(--card); }
.lane rect { stroke: none; }
g.mode rect { stroke-width: 1; vector-effect: non-scaling-stroke; }
.mode-open rect { fill: var(--open); stroke: var(--open); } i.mode-open { background: var(--open); }
.mode-stick rect { fill: #0072b2; stroke: #0072b2; } i.mode-stick { background: #0072b2; }
.mode-roll rect { fill: #009e73; stroke: #009e73; } i.mode-roll { background: #009e73; }
.mode-slide rect { fill: #e69f00; stroke: #e69f00; } i.mode-slide { background: #e69f00; }
.mode-spin rect { fill: #cc79a7; stroke: #cc79a7; } i.mode-spin { background: #cc79a7; }
.verdict-unique rect { fill: var(--unique); } i.verdict-unique { background: var(--unique); }
.verdict-unique_motion rect { fill: #56b4e9; }
i.verdict-unique_motion { background: #56b4e9; }
.verdict-several rect { fill: #f0e442; } i.verdict-several { background: #f0e442; }
.verdict-none rect { fill: #d55e00; } i.verdict-none { background: #d55e00; }
.verdict-undecided rect { fill: #999; } i.verdict-undecided { background: #999; }
g.verdict rect.loose { fill: var(--loose); }
i.verdict-loose { border: 1px solid var(--edge); border-bottom: 4px solid var(--loose); }
.tick, .hit { fill: none; vector-effect: non-scaling-stroke; }
.tick { stroke: var(--ink); stroke-width: 1.5; }
.hit { stroke: transparent; stroke-width: 9; }
.mark { cursor: pointer; }
.mark:hover .tick, .mark.chosen .tick { stroke: var(--now); stroke-width: 3; }
.chart { padding: 12px 0 0; align-items: stretch; }
.chart > .label { padding-top: 2px; font-weight: 600; white-space: normal; }
.chart > .label small { display: block; margin-left: 0; font-weight: 400; }
.plot { min-height: 140px; height: 100%; }
.plot .frame { fill: none; stroke: var(--edge); }
.grid { stroke: var(--grid); fill: none; }
.zero { stroke: var(--edge); fill: none; }
text { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
.curve { fill: none; stroke: var(--c); stroke-width: 1.5; stroke-linejoin: round; }
.s0 { --c: var(--c0); } .s1 { --c: var(--c1); } .s2 { --c: var(--c2); } .s3 { --c: var(--c3); }
.s4 { --c: var(--c4); } .s5 { --c: var(--c5); } .s6 { --c: var(--c6); } .s7 { --c: var(--c7); }
.d1.curve { stroke-dasharray: 7 3; } .d2.curve { stroke-dasharray: 2 3; }
.lines { padding-left: 14px; max-height: 250px; overflow-y: auto; }
.line { display: grid; grid-template-columns: 16px 1fr auto; gap: 6px; width: 100%; padding: 0; border: 0;
  background: none; color: inherit; font: inherit; font-size: 12px; line-height: 17px; text-align: left; cursor: pointer; }
.line i { height: 0; margin-top: 8px; border-top: 2.5px solid var(--c); }
.line.d1 i { border-top-style: dashed; } .line.d2 i { border-top-style: dotted; }
.line span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.line output { color: var(--ink); font-variant-numeric: tabular-nums; }
.line.off { opacity: 0.35; }
#cursor { position: absolute; top: 0; bottom: 0; width: 0; border-left: 1px solid var(--now); pointer-events: none;
  z-index: 3; }
#cursor.kept { border-left-width: 2px; margin-left: -0.5px; }
#band { position: absolute; top: 0; bottom: 0; background: var(--now); opacity: 0.15; pointer-events: none;
  z-index: 3; }
.filter { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; margin-bottom: 8px; }
.filter b { color: var(--soft); font-weight: 400; }
#find { font: inherit; padding: 2px 6px; }
.scroll { max-height: 460px; overflow: auto; border: 1px solid var(--edge); border-radius: 6px; }
table { width: 100%; border-collapse: collapse; }
th { position: sticky; top: 0; background: var(--card); text-align: left; font-weight: 600; }
th, td { padding: 3px 12px; vertical-align: top; }
td { border-top: 1px solid var(--grid); overflow-wrap: anywhere; }
.t { width: 10em; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tbody tr { cursor: pointer; }
tbody tr:hover, tbody tr:focus { background: var(--card); outline: none; }
tbody tr.chosen { background: var(--now); color: var(--bg); }
@media (max-width: 820px) {
  body { padding: 14px 12px 40px; }
  .row { grid-template-columns: minmax(70px, 26%) minmax(0, 1fr); }
  .row > .read { display: none; }
  .axis { height: auto; }
  .row.axis > .read { display: flex; grid-column: 1 / -1; padding-left: 0; }
  .row.chart > .lines { grid-column: 1 / -1; max-height: 130px; padding-left: 0; }
  #told { padding-left: 0; }
}
)css";

const std::string_view kReportScript = R"js(
(function () {
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const stack = document.getElementById("stack"), axis = stack.querySelector(".time");
const line = document.getElementById("cursor"), band = document.getElementById("band");
const now = document.getElementById("now"), all = document.getElementById("all");
const told = document.getElementById("told"), help = told.textContent;
const rows = Array.from(document.querySelectorAll("#events tbody tr"));
const marks = Array.from(stack.querySelectorAll(".mark"));
let view = [data.from, data.to], hovered = null, kept = null, width = 0;

// Lanes: their segments in the order of time, and where to say which one holds.
const lanes = Array.from(stack.querySelectorAll(".row.mode, .row.verdict")).map(function (row) {
  const segments = Array.from(row.querySelectorAll("g[data-from]")).map(function (g) {
    return { from: Number(g.dataset.from), to: Number(g.dataset.to), word: g.dataset.word };
  });
  return { segments: segments, starts: segments.map(function (s) { return s.from; }), read: row.querySelector(".read"),
           name: row.classList.contains("mode") ? "mode " + row.querySelector(".label").title : "verdict" };
});
const panels = Array.from(stack.querySelectorAll(".chart")).map(function (row, i) {
  const keys = Array.from(row.querySelectorAll(".line"));
  return {
    svg: row.querySelector(".plot"), unit: row.querySelector(".label small"),
    series: data.panels[i].map(function (s, k) { return { x: s.x, y: s.y, key: keys[k], shown: true }; })
  };
});

function make(name, attributes, parent) {
  const node = document.createElementNS(axis.namespaceURI, name);
  for (const key of Object.keys(attributes)) node.setAttribute(key, attributes[key]);
  return parent.appendChild(node);
}

// The number of values in a sorted list that are not greater than t.
function count(list, t) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= t) low = middle + 1; else high = middle;
  }
  return low;
}

// The value at t on the line between its points; at a jump, the one after it. The times of points have ten digits.
const close = 1e-9 * (data.to - data.from);
function valueAt(series, t) {
  const i = count(series.x, t + close) - 1;
  if (i < 0) return null;
  const y = series.y[i], x = series.x[i];
  if (Math.abs(x - t) <= close) return y === null && i > 0 ? series.y[i - 1] : y;
  if (y === null || i + 1 >= series.x.length || series.y[i + 1] === null) return null;
  return y + (series.y[i + 1] - y) * (t - x) / (series.x[i + 1] - x);
}

function minus(text) { return text.replace("-", "\u2212"); }
function show(value) {
  if (value === null) return "\u2013";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
    const parts = value.toExponential(3).split("e");
    return minus(parts[0]) + "e" + minus(parts[1].replace("+", ""));
  }
  return minus(String(Number(value.toPrecision(5))));
}

// Ticks at multiples of 1, 2 or 5 times a power of ten, and a power of 1000 common to their labels.
function ticks(low, high, most) {
  const rough = (high - low) / Math.max(most, 1), power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = power * [1, 2, 5, 10].find(function (m) { return m * power >= rough * 0.9999; });
  const exponent = 3 * Math.floor(Math.log10(Math.max(Math.abs(low), Math.abs(high), step)) / 3 + 1e-9);
  const size = Math.max(Math.abs(low), Math.abs(high)), common = size >= 1e4 || size < 0.02 ? exponent : 0;
  const unit = Math.pow(10, common);
  const digits = Math.min(Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9)), 12);
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && out.length < 50; ++k) {
    out.push({ at: k * step, text: minus((k * step / unit + 0).toFixed(digits)) });
  }
  return { list: out, exponent: common };
}
function superscript(number) {
  return String(number).replace(/./g, function (c) {
    return c === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[Number(c)];
  });
}

function toPixel(t) { return (t - view[0]) / (view[1] - view[0]) * width; }
function toTime(pixel) { return view[0] + pixel / width * (view[1] - view[0]); }

function drawAxis() {
  axis.replaceChildren();
  const found = ticks(view[0], view[1], Math.max(2, Math.floor(width / 90)));
  for (const tick of found.list) {
    const x = toPixel(tick.at);
    make("path", { class: "zero", d: "M" + x.toFixed(1) + " 24v6" }, axis);
    make("text", { x: x.toFixed(1), y: 19, "text-anchor": "middle" }, axis).textContent =
        found.exponent === 0 ? tick.text : String(Number(tick.at.toPrecision(12)));
  }
  return found.list;
}

function findRange(panel) {
  let low = Infinity, high = -Infinity;
  const take = function (y) {
    if (y === null) return;
    const bounded = Math.min(Math.max(y, -1e300), 1e300);  // Else the distance of two values may be infinite.
    low = Math.min(low, bounded);
    high = Math.max(high, bounded);
  };
  for (const s of panel.series) {
    if (!s.shown) continue;
    const end = count(s.x, view[1]);
    for (let i = Math.max(0, count(s.x, view[0]) - 1); i < end; ++i) if (s.x[i] >= view[0]) take(s.y[i]);
    take(valueAt(s, view[0]));
    take(valueAt(s, view[1]));
  }
  if (low > high) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high)), margin = (high - low) * 0.07;
  if (high - low <= 1e-12 * size || size === 0) return size === 0 ? [-1, 1] : [low - 0.1 * size, high + 0.1 * size];
  return [low - margin, high + margin];
}

function makePath(series, toY) {
  let path = "", pen = "M";
  const end = Math.min(series.x.length, count(series.x, view[1]) + 1);
  for (let i = Math.max(0, count(series.x, view[0]) - 2); i < end; ++i) {
    if (series.y[i] === null) { pen = "M"; continue; }
    const x = toPixel(series.x[i]).toFixed(2), y = toY(series.y[i]).toFixed(2);
    path += pen + x + " " + y + (pen === "M" ? "h0.01" : "");
    pen = "L";
  }
  return path;
}

function drawPanel(panel, times) {
  const svg = panel.svg, height = svg.clientHeight, range = findRange(panel);
  const toY = function (y) { return height - (y - range[0]) / (range[1] - range[0]) * height; };
  svg.replaceChildren();
  const found = ticks(range[0], range[1], Math.max(2, Math.floor(height / 34)));
  for (const tick of times) {
    make("path", { class: "grid", d: "M" + toPixel(tick.at).toFixed(1) + " 0v" + height }, svg);
  }
  for (const tick of found.list) {
    const y = toY(tick.at).toFixed(1);
    make("path", { class: tick.at === 0 ? "zero" : "grid", d: "M0 " + y + "h" + width }, svg);
    make("text", { x: -6, y: Number(y) + 4, "text-anchor": "end" }, svg).textContent = tick.text;
  }
  const inside = make("svg", { width: width, height: height, overflow: "hidden" }, svg);
  for (const s of panel.series) {
    if (s.shown) make("path", { class: "curve " + s.key.className.replace("line", ""), d: makePath(s, toY) }, inside);
  }
  make("rect", { class: "frame", x: 0.5, y: 0.5, width: Math.max(0, width - 1), height: Math.max(0, height - 1) }, svg);
  const power = found.exponent === 0 ? "" : "10" + superscript(found.exponent);
  panel.unit.textContent = (power + " " + panel.unit.dataset.unit).trim();
}

function draw() {
  width = axis.clientWidth;
  const scale = 1000 / (data.to - data.from);
  const box = (view[0] - data.from) * scale + " 0 " + (view[1] - view[0]) * scale + " 10";
  for (const lane of stack.querySelectorAll(".lane")) lane.setAttribute("viewBox", box);
  const times = drawAxis();
  for (const panel of panels) drawPanel(panel, times);
  all.hidden = view[0] === data.from && view[1] === data.to;
  drawCursor();
}

function findWord(lane, t) {
  const segment = lane.segments[count(lane.starts, t) - 1];
  return segment && t <= segment.to ? segment.word : "";
}

// Texts are slow: while the replay plays (`isQuick`) they follow ten times a second.
let toldAt = 0;
function drawCursor(isQuick) {
  const t = hovered === null ? kept : hovered;
  const visible = t !== null && t >= view[0] && t <= view[1];
  line.hidden = !visible;
  line.classList.toggle("kept", hovered === null);
  if (visible) {
    line.style.left = axis.getBoundingClientRect().left - stack.getBoundingClientRect().left + toPixel(t) + "px";
  }
  if (isQuick && performance.now() - toldAt < 100) return;
  toldAt = performance.now();
  now.textContent = t === null ? "" : "t = " + minus(String(Number(t.toPrecision(7)))) + " s";
  for (const lane of lanes) lane.read.textContent = t === null ? "" : findWord(lane, t);
  for (const panel of panels) {
    for (const s of panel.series) s.key.lastElementChild.textContent = t === null ? "" : show(valueAt(s, t));
  }
}

let chosen = -1;
function choose(index) {
  chosen = index;
  told.classList.toggle("event", index >= 0);
  told.textContent = index < 0 ? help : rows[index].dataset.kind + " \u00b7 " +
      Array.from(rows[index].cells).slice(2).map(function (cell) { return cell.textContent; }).join(" \u00b7 ");
  rows.forEach(function (row, i) { row.classList.toggle("chosen", i === index); });
  marks.forEach(function (mark) { mark.classList.toggle("chosen", Number(mark.dataset.event) === index); });
}

const listeners = [];
function keep(t, isQuick) {
  kept = t;
  if (t !== null && (t < view[0] || t > view[1])) { view = [data.from, data.to]; draw(); }
  drawCursor(isQuick);
  for (const listener of listeners) listener(t);
}

function keepEvent(index, scroll) {
  const row = rows[index];
  if (!row) return;
  choose(index);
  hovered = null;
  keep(Number(row.dataset.t));
  if (scroll) row.closest(".scroll").scrollTop = row.offsetTop - 60;
}

// The pointer: over the column of plots it reads, a click keeps the time, a drag zooms.
let pressed = null;
function inPlots(event) {
  const box = axis.getBoundingClientRect(), x = event.clientX - box.left;
  return { x: Math.min(Math.max(x, 0), width), inside: x >= 0 && x <= width };
}
stack.addEventListener("mousemove", function (event) {
  const place = inPlots(event);
  hovered = place.inside ? toTime(place.x) : null;
  if (pressed !== null) {
    const left = axis.getBoundingClientRect().left - stack.getBoundingClientRect().left;
    band.hidden = Math.abs(place.x - pressed) < 4;
    band.style.left = left + Math.min(place.x, pressed) + "px";
    band.style.width = Math.abs(place.x - pressed) + "px";
  }
  drawCursor();
});
stack.addEventListener("mouseleave", function () { hovered = null; drawCursor(); });
stack.addEventListener("mousedown", function (event) {
  const place = inPlots(event);
  if (event.button !== 0 || !place.inside || event.target.closest(".mark, button")) return;
  pressed = place.x;
  event.preventDefault();
});
window.addEventListener("mouseup", function (event) {
  if (pressed === null) return;
  const place = inPlots(event), from = toTime(Math.min(place.x, pressed)), to = toTime(Math.max(place.x, pressed));
  const moved = Math.abs(place.x - pressed) >= 4;
  pressed = null;
  band.hidden = true;
  if (moved && to - from > 1e-9 * (data.to - data.from)) {
    view = [from, to];
    draw();
  } else if (!moved) {
    choose(-1);
    keep(from);
  }
});
function showAll() { view = [data.from, data.to]; draw(); }
stack.addEventListener("dblclick", function (event) { if (inPlots(event).inside) showAll(); });
all.addEventListener("click", showAll);

// Arrows go from event to event, among those that the table shows; Escape goes back to the start.
function stepEvents(direction) {
  let next = chosen + direction;
  if (chosen < 0) {
    const from = kept === null ? (direction > 0 ? -Infinity : Infinity) : kept;
    const later = rows.findIndex(function (row) { return Number(row.dataset.t) > from; });
    next = direction > 0 ? (later < 0 ? rows.length : later) : (later < 0 ? rows.length : later) - 1;
  }
  while (rows[next] && rows[next].hidden) next += direction;
  keepEvent(next, true);
}
document.addEventListener("keydown", function (event) {
  if (event.target.closest && event.target.closest("input, select")) return;
  if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    stepEvents(event.key === "ArrowRight" ? 1 : -1);
    event.preventDefault();
  } else if (event.key === "Escape") {
    choose(-1);
    keep(null);
    showAll();
  }
});
for (const panel of panels) {
  for (const s of panel.series) {
    s.key.addEventListener("click", function () {
      s.shown = !s.shown;
      s.key.classList.toggle("off", !s.shown);
      draw();
    });
  }
}

// Events.
for (const mark of marks) mark.addEventListener("click", function () { keepEvent(Number(mark.dataset.event), true); });
rows.forEach(function (row, i) {
  row.addEventListener("click", function () { keepEvent(i, false); });
  row.addEventListener("keydown", function (event) { if (event.key === "Enter") keepEvent(i, false); });
});
const boxes = Array.from(document.querySelectorAll(".filter input[type=checkbox]"));
const find = document.getElementById("find");
function filter() {
  const kinds = new Set(boxes.filter(function (b) { return b.checked; }).map(function (b) { return b.value; }));
  const text = find.value.toLowerCase();
  for (const row of rows) {
    row.hidden = !kinds.has(row.dataset.kind) || !row.textContent.toLowerCase().includes(text);
  }
}
for (const box of boxes) box.addEventListener("change", filter);
if (find) find.addEventListener("input", filter);

// report.html#t=0.5 opens with that time kept.
const wanted = /^#t=([-+.\deE]+)$/.exec(location.hash);
if (wanted && isFinite(Number(wanted[1]))) kept = Number(wanted[1]);
window.addEventListener("resize", draw);
draw();

// The clock of the page, for the replay.
const byName = new Map(lanes.map(function (lane) { return [lane.name, lane]; }));
const eventTimes = rows.map(function (row) { return Number(row.dataset.t); });
function wordAt(name, t) { return byName.has(name) ? findWord(byName.get(name), t) : ""; }
window.thenarReport = {
  time: function () { return kept; },
  view: function () { return view; },
  seek: function (t, isQuick) {
    if (chosen >= 0) choose(-1);
    hovered = null;
    keep(t, isQuick);
  },
  onSeek: function (listener) { listeners.push(listener); },
  modeAt: function (contact, t) { return wordAt("mode " + contact, t); },
  verdictAt: function (t) { return wordAt("verdict", t); },
  eventBefore: function (t) {
    const row = rows[count(eventTimes, t) - 1];
    return row ? { t: Number(row.dataset.t), kind: row.dataset.kind, where: row.cells[2].textContent } : null;
  }
};
})();
)js";

}  // namespace thenar::internal
