// Cut a curve and guess: the end of a real curve is hidden, the reader draws it, and sees what came.

import { Library } from "../explorer/data.js";
import { forecastOf } from "../explorer/forecast.js";
import { ROUNDS, isSeed, misses, random, readGame, summary, writeGame } from "./rounds.js";

const DATABASE = "lcdb10";
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 330, 56, 14, 12, 46];
const STEPS = 12; // places between the cut and the end at which a drawn curve is held
const LEAST_AHEAD = 4; // times the rows seen, at least, that the end lies at
const TRIES = 200;
const place = document.getElementById("guess");
const part = (name) => place.querySelector(`[data-part="${name}"]`);
const library = new Library(place.dataset.root);
const percent = (error) => `${(100 * error).toFixed(1)} %`;
const rows = (n) => Math.round(n).toLocaleString("en");
let game = { seed: 1, scores: [] };
let round = null;

function node(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

// Return the curve of a round: always the same of a game's seed and the round's number.
async function draw(seed, number) {
  const index = await library.index(DATABASE);
  const next = random(1000 * seed + number);
  const one = (list) => list[Math.floor(next() * list.length)];
  for (let tried = 0; tried < TRIES; tried += 1) {
    const fact = one(index.datasets);
    const about = await library.dataset(DATABASE, fact.key);
    const forecasts = await library.forecasts(DATABASE, about);
    if (!forecasts) continue;
    const start = one(forecasts.cuts);
    const learner = one(Object.keys(start.learners));
    const { scaling, leakage } = about.forecasts;
    const block = await library.block(DATABASE, about.blocks[`error_rate.${scaling}.${leakage}`]);
    const points = block.curve(learner, "valid").filter((p) => p.anchor <= start.sizes[start.sizes.length - 1]);
    const seen = points.filter((p) => p.anchor <= start.cut);
    const end = points[points.length - 1];
    if (seen.length < 4 || end.anchor < LEAST_AHEAD * start.cut) continue;
    const last = seen[seen.length - 1];
    return { dataset: fact, learner: index.titles[learner] ?? learner, name: learner, points, seen, last, end,
      forecast: forecastOf(start, learner, last.middle), own: null, shown: false };
  }
  throw new Error("No curve is long enough to be cut");
}

function scales({ points, seen, end, last, forecast, shown }) {
  const tops = [...(shown ? points : seen).map((p) => p.middle), forecast.at(end.anchor)[2], last.middle];
  const top = Math.min(1, 1.2 * Math.max(...tops));
  const [first, far] = [points[0].anchor, end.anchor].map(Math.log);
  return { top,
    x: (n) => LEFT + ((Math.log(n) - first) / (far - first)) * (WIDTH - LEFT - RIGHT),
    y: (v) => HEIGHT - BOTTOM - (Math.min(Math.max(v, 0), top) / top) * (HEIGHT - TOP - BOTTOM),
    size: (at) => Math.exp(first + ((at - LEFT) / (WIDTH - LEFT - RIGHT)) * (far - first)),
    value: (at) => Math.min(Math.max(((HEIGHT - BOTTOM - at) / (HEIGHT - TOP - BOTTOM)) * top, 0), top) };
}

function places({ last, end }) {
  return Array.from({ length: STEPS + 1 }, (_, k) => last.anchor * (end.anchor / last.anchor) ** (k / STEPS));
}

function line(points, attributes) {
  return node("polyline", { points: points.map((p) => p.join(",")).join(" "), fill: "none", "stroke-width": 2.5,
    "stroke-linejoin": "round", ...attributes });
}

function redraw() {
  const { seen, points, last, end, forecast, own, shown } = round;
  const { x, y, top } = scales(round);
  const svg = part("figure");
  svg.replaceChildren();
  for (let k = 0; k <= 4; k += 1) {
    const v = (top * k) / 4;
    svg.append(line([[LEFT, y(v)], [WIDTH - RIGHT, y(v)]], { stroke: "currentColor", "stroke-width": 1, "stroke-opacity": k ? 0.15 : 0.8 }),
      node("text", { x: LEFT - 6, y: y(v) + 5, "text-anchor": "end" }, `${Math.round(100 * v)} %`));
  }
  for (const n of [points[0].anchor, last.anchor, end.anchor]) {
    svg.append(node("text", { x: x(n), y: HEIGHT - BOTTOM + 20, "text-anchor": n === end.anchor ? "end" : "middle" }, rows(n)));
  }
  svg.append(node("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, "training-set size [rows]"),
    node("rect", { x: x(last.anchor), y: TOP, width: x(end.anchor) - x(last.anchor), height: HEIGHT - TOP - BOTTOM,
      fill: "currentColor", "fill-opacity": shown ? 0 : 0.07 }));
  if (shown) {
    const at = places(round).map((n) => [n, forecast.at(n)]);
    svg.append(node("polygon", { fill: "#0072B2", "fill-opacity": 0.2,
      points: [...at.map(([n, q]) => [x(n), y(q[2])]), ...at.reverse().map(([n, q]) => [x(n), y(q[0])])].join(" ") }),
    line(places(round).map((n) => [x(n), y(forecast.at(n)[1])]), { stroke: "#0072B2" }),
    line([[x(last.anchor), y(last.middle)], [x(end.anchor), y(last.middle)]], { stroke: "#767676", "stroke-dasharray": "6 4" }));
  }
  const known = shown ? points : seen;
  svg.append(line(known.map((p) => [x(p.anchor), y(p.middle)]), { stroke: "currentColor", "stroke-width": 1.5 }),
    ...known.map((p) => node("circle", { cx: x(p.anchor), cy: y(p.middle), r: 3, fill: "currentColor" })));
  if (own) svg.append(line(places(round).map((n, k) => [x(n), y(own[k])]), { stroke: "#D55E00" }));
  else svg.append(node("text", { x: x(end.anchor) - 8, y: TOP + 22, "text-anchor": "end" }, "draw here"));
}

// Hold the drawn curve at the place nearest to a size; what was skipped lies on a straight line.
function hold(size, value) {
  const at = places(round);
  const k = Math.round((STEPS * Math.log(size / at[0])) / Math.log(at[STEPS] / at[0]));
  if (k < 1 || round.shown) return;
  const to = Math.min(k, STEPS);
  const from = round.drawn !== undefined && round.drawn < to ? round.drawn : 0;
  round.own ??= at.map(() => round.last.middle);
  const start = round.own[from];
  for (let j = from + 1; j <= to; j += 1) round.own[j] = start + ((value - start) * (j - from)) / (to - from);
  for (let j = to + 1; j <= STEPS; j += 1) round.own[j] = value;
  round.drawn = to;
  part("end").value = Math.round((1000 * round.own[STEPS]) / scales(round).top);
  part("show").disabled = false;
  redraw();
}

function follow(event) {
  const box = part("figure").getBoundingClientRect();
  const { size, value } = scales(round);
  hold(size(((event.clientX - box.left) / box.width) * WIDTH), value(((event.clientY - box.top) / box.height) * HEIGHT));
}

async function begin() {
  const number = game.scores.length;
  part("told").textContent = "";
  round = await draw(game.seed, number);
  part("asked").textContent = `Curve ${number + 1} of ${ROUNDS}: ${round.learner}, seen up to ${rows(round.last.anchor)} rows. `
    + `Draw how the error goes on to ${rows(round.end.anchor)}.`;
  part("show").disabled = true;
  part("show").hidden = false;
  part("next").hidden = true;
  part("game").hidden = false;
  redraw();
  place.dataset.round = String(number + 1);
}

function show() {
  round.shown = true;
  const [low, middle, high] = round.forecast.at(round.end.anchor);
  const off = misses({ truth: round.end.middle, own: round.own[STEPS], forecast: middle, stays: round.last.middle });
  game.scores.push(off);
  window.history.replaceState(null, "", writeGame(game));
  redraw();
  const held = low <= round.end.middle && round.end.middle <= high;
  part("told").replaceChildren(
    `On ${round.dataset.name} the error came to ${percent(round.end.middle)}. You were off by ${off[0].toFixed(1)} points, the forecast by `
    + `${off[1].toFixed(1)} (its range, ${percent(low)} to ${percent(high)}, ${held ? "held" : "missed"} it), nothing changes by ${off[2].toFixed(1)}. `,
    link(), ` ${summary(game.scores)}`);
  part("show").hidden = true;
  part("next").hidden = false;
  part("next").textContent = game.scores.length < ROUNDS ? "Next" : "Ten others";
}

function link() {
  const made = document.createElement("a");
  made.href = `explorer.html#${new URLSearchParams({ dataset: round.dataset.label, learners: round.name, model: "forecast" })}`;
  made.textContent = "See the curve.";
  return made;
}

async function next() {
  if (game.scores.length >= ROUNDS) game = { seed: 1 + Math.floor(1e6 * Math.random()), scores: [] };
  await begin();
}

async function start() {
  await library.index(DATABASE);
  const linked = readGame(window.location.hash);
  game = linked ?? { seed: 1 + Math.floor(1e6 * Math.random()), scores: [] };
  if (linked?.scores.length) {
    part("told").textContent = `From the link: ${summary(linked.scores)}`;
    if (linked.scores.length >= ROUNDS) {
      game = { seed: linked.seed, scores: [] };
      part("play").textContent = "Play the same ten";
    } else part("play").textContent = "Go on";
  }
  part("play").addEventListener("click", () => { part("play").hidden = true; begin(); });
  part("show").addEventListener("click", show);
  part("next").addEventListener("click", next);
  part("end").addEventListener("input", (event) => {
    round.drawn = undefined;
    hold(round.end.anchor, (event.target.value / 1000) * scales(round).top);
  });
  const figure = part("figure");
  figure.addEventListener("pointerdown", (event) => {
    round.drawn = undefined;
    figure.setPointerCapture(event.pointerId);
    follow(event);
  });
  figure.addEventListener("pointermove", (event) => { if (event.buttons) follow(event); });
  place.hidden = false;
}

start().catch(() => { place.hidden = true; }); // opened as a file: the figures stay
window.guess = { readGame, writeGame, misses, isSeed }; // for tests
