// SPDX-License-Identifier: BSD-3-Clause
// The replay of a report: the picture with its controls, on the same clock as the plots below it. The page is made by
// thenar/io/report/report_page.cc; what it tells others is window.thenarReport (thenar/io/report/report_template_internal.cc).
import { MODE_COLOURS } from "./contacts.js";
import { Frames } from "./frames.js";
import style from "./replay.css";
import { Viewer } from "./viewer.js";

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const WHOLE_RUN = 8; // s: about as long a run takes to be shown unless another speed is chosen.

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function nameSpeed(speed) {
  return speed < 1 ? "1/" + Math.round(1 / speed) : String(speed);
}

class Replay {
  constructor(section, data, report) {
    this.section = section;
    this.report = report;
    this.frames = new Frames(data);
    this.t = report.time() ?? this.frames.from;
    this.isPlaying = false;
    this.speed = this.chooseSpeed();
    this.build(data);
    this.viewer = new Viewer(this.canvas, data, this.frames, report);
    this.listen();
    this.show(this.t);
  }

  chooseSpeed() {
    const wanted = (this.frames.to - this.frames.from) / WHOLE_RUN;
    return SPEEDS.reduce(
      (best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best),
      1,
    );
  }

  build(data) {
    this.canvas = make("canvas", { tabindex: "0", "aria-label": "Replay of the motion in three dimensions" });
    this.clock = make("div", { class: "clock" });
    this.who = make("div", { class: "who", hidden: "" });
    this.holder = make("div", { class: "holder" }, this.canvas);
    const away = make(
      "button",
      {
        type: "button",
        class: "away",
        title: "Do not show the replay here",
        onclick: () => {
          this.staysInPlace = true;
          this.place.classList.remove("floating");
        },
      },
      "\u00d7",
    );
    this.stage = make("div", { class: "stage" }, this.holder, this.clock, this.who, away);
    if (data.contacts.length > 0) this.stage.append(this.makeLegend());
    this.place = make("div", { class: "place" }, this.stage);
    this.section.append(this.place, this.makeBar(data));
  }

  makeLegend() {
    const keys = Object.entries(MODE_COLOURS).map(([mode, colour]) =>
      make("span", {}, make("i", { style: "background:" + colour }), mode),
    );
    return make("div", { class: "legend" }, ...keys);
  }

  makeBar(data) {
    this.playButton = make("button", { type: "button", class: "play", onclick: () => this.toggle() }, "\u25b6 Play");
    this.scrub = make("input", {
      type: "range",
      class: "scrub",
      min: 0,
      max: 1,
      step: "any",
      value: 0,
      "aria-label": "time",
      oninput: () => this.seek(this.frames.from + this.scrub.valueAsNumber * (this.frames.to - this.frames.from)),
    });
    const speeds = SPEEDS.map((s) =>
      make("option", s === this.speed ? { value: s, selected: "" } : { value: s }, nameSpeed(s) + " \u00d7"),
    );
    this.speedList = make(
      "select",
      {
        "aria-label": "speed",
        title: "Speed, times real time (+ and \u2212)",
        onchange: () => {
          this.speed = Number(this.speedList.value);
        },
      },
      ...speeds,
    );
    const bar = make(
      "div",
      { class: "bar" },
      this.playButton,
      this.scrub,
      make("span", { class: "group" }, this.speedList),
    );
    if (data.contacts.length > 0) bar.append(this.makeToggles());
    bar.append(this.makeCameraTools(data));
    return bar;
  }

  makeToggles() {
    this.toggles = {};
    const group = make("span", { class: "group" });
    for (const [key, word, title] of [
      ["points", "contacts", "Contact points (C)"],
      ["forces", "forces", "Forces on the first body of each contact (F)"],
      ["cones", "cones", "Friction cones (K)"],
      ["paths", "paths", "Where contacts have been on both bodies (P)"],
    ]) {
      this.toggles[key] = make(
        "button",
        { type: "button", title, "aria-pressed": key === "cones" ? "false" : "true", onclick: () => this.flip(key) },
        word,
      );
      group.append(this.toggles[key]);
    }
    const size = make("input", {
      type: "range",
      class: "size",
      min: -1,
      max: 1,
      step: 0.05,
      value: 0,
      title: "Length of arrows",
      "aria-label": "length of arrows",
      oninput: () => {
        this.viewer.forceScale = 10 ** size.valueAsNumber;
        this.viewer.draw();
      },
    });
    group.append(size);
    return group;
  }

  makeCameraTools(data) {
    const group = make("span", { class: "group" });
    const views = data.planar
      ? [["top", "fit"]]
      : [
          ["space", "fit"],
          ["front", "front"],
          ["side", "side"],
          ["top", "top"],
        ];
    for (const [view, word] of views)
      group.append(make("button", { type: "button", onclick: () => this.viewer.look(view) }, word));
    const movers = data.bodies.map((body, i) => [body, i]).filter(([body]) => body.moves);
    const options = movers.map(([body, i]) => make("option", { value: i }, "follow " + body.name));
    const list = make(
      "select",
      { "aria-label": "body to follow", onchange: () => this.viewer.follow(Number(list.value)) },
      make("option", { value: -1 }, "camera rests"),
      ...options,
    );
    group.append(list, make("button", { type: "button", onclick: () => this.fillScreen() }, "full screen"));
    return group;
  }

  flip(key) {
    const shown = this.viewer.contacts.shown;
    shown[key] = !shown[key];
    this.toggles[key].setAttribute("aria-pressed", String(shown[key]));
    this.viewer.draw();
  }

  fillScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.section.requestFullscreen();
  }

  listen() {
    this.report.onSeek((t) => {
      if (t !== null) this.show(t);
    });
    document.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.viewer.resize()).observe(this.canvas);
    // Scrolled out of sight, it stays in the corner, so that plots and motion are seen together.
    new IntersectionObserver(([entry]) => {
      const isAbove = !entry.isIntersecting && entry.boundingClientRect.bottom < 0 && !this.staysInPlace;
      if (isAbove) this.place.style.height = this.place.clientHeight + "px";
      this.place.classList.toggle("floating", isAbove);
      if (!isAbove) this.place.style.height = "";
    }).observe(this.place);
    this.canvas.addEventListener("pointermove", (event) => this.tellWho(event));
    this.canvas.addEventListener("pointerleave", () => {
      this.who.hidden = true;
    });
  }

  tellWho(event) {
    const name = event.buttons === 0 ? this.viewer.nameAt(event.offsetX, event.offsetY) : "";
    this.who.hidden = name === "";
    this.who.textContent = name;
    this.who.style.left = event.offsetX + 14 + "px";
    this.who.style.top = event.offsetY + 10 + "px";
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target.closest ? event.target.closest("input, select, button") : null;
    const typed = target && target.type === "search";
    if (event.key === " " && (!target || target.type === "range")) {
      this.toggle();
      event.preventDefault();
    }
    if (typed || event.key === " ") return;
    const letter = { c: "points", f: "forces", k: "cones", p: "paths" }[event.key.toLowerCase()];
    if (letter && this.toggles) this.flip(letter);
    if (event.key === "+" || event.key === "-") this.changeSpeed(event.key === "+" ? 1 : -1);
    if (event.key === "." || event.key === ",") this.stepFrame(event.key === "." ? 1 : -1);
  }

  changeSpeed(direction) {
    const next = SPEEDS[SPEEDS.indexOf(this.speed) + direction];
    if (next === undefined) return;
    this.speed = next;
    this.speedList.value = String(next);
  }

  stepFrame(direction) {
    const frame = this.frames.find(this.t);
    let next = frame + direction;
    while (next >= 0 && next < this.frames.count && this.frames.times[next] === this.frames.times[frame])
      next += direction;
    if (next >= 0 && next < this.frames.count) this.seek(this.frames.times[next]);
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    const [from, to] = this.report.view();
    if (this.t >= to - 1e-12 || this.t < from) this.seek(from);
    this.isPlaying = true;
    this.playButton.textContent = "\u275a\u275a Pause";
    this.tick = performance.now();
    requestAnimationFrame((now) => this.advance(now));
  }

  pause() {
    this.isPlaying = false;
    this.playButton.textContent = "\u25b6 Play";
    this.seek(this.t);
  }

  // Plays what the plots show, and stops at its end.
  advance(now) {
    if (!this.isPlaying) return;
    const end = Math.min(this.report.view()[1], this.frames.to),
      t = this.t + (Math.max(0, now - this.tick) / 1000) * this.speed;
    this.tick = now;
    if (t >= end) this.pause();
    this.seek(Math.min(t, end));
    if (this.isPlaying) requestAnimationFrame((next) => this.advance(next));
  }

  // Moves the clock of the whole page.
  seek(t) {
    this.report.seek(t, this.isPlaying);
  }

  show(t) {
    this.t = Math.min(Math.max(t, this.frames.from), this.frames.to);
    const length = this.frames.to - this.frames.from;
    this.scrub.value = length > 0 ? (this.t - this.frames.from) / length : 0;
    this.clock.replaceChildren("t = " + this.t.toFixed(length < 0.1 ? 6 : 4) + " s", ...this.tellInstant());
    this.viewer.show(this.t);
  }

  // What is known of the motion now, and what happened last.
  tellInstant() {
    const verdict = this.report.verdictAt(this.t),
      event = this.report.eventBefore(this.t),
      lines = [];
    if (verdict !== "") lines.push("verdict: " + verdict.replaceAll("_", " "));
    if (event)
      lines.push("last event: " + [event.kind, event.where, "at " + Number(event.t.toPrecision(5)) + " s"].join(" "));
    return lines.map((line) => make("small", {}, line));
  }

  // For tests: where a body is, and what is drawn of a contact.
  poseOf(name) {
    const body = this.viewer.bodies.find((group) => group.name === name);
    return [...body.position.toArray(), body.quaternion.w, body.quaternion.x, body.quaternion.y, body.quaternion.z];
  }

  drawnContacts() {
    this.viewer.drawNow();
    return this.frames.contacts
      .filter((_, i) => this.viewer.contacts.marks[i].group.visible)
      .map((contact, i) => contact.name);
  }
}

function start() {
  const section = document.getElementById("replay"),
    data = document.getElementById("motion");
  if (!section || !data || !window.thenarReport) return;
  document.head.append(make("style", {}, style));
  try {
    window.thenarReplay = new Replay(section, JSON.parse(data.textContent), window.thenarReport);
  } catch (error) {
    const isWebGL = /WebGL/.test(String(error));
    section.replaceChildren(
      make(
        "p",
        { class: "sorry" },
        isWebGL
          ? "There is no replay: this browser has no WebGL, or it is switched off. Everything else on this page works."
          : "There is no replay: " + error.message,
      ),
    );
    if (!isWebGL) throw error;
  }
}

start();
