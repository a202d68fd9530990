// Draw learning curves with d3: middles with bands, repeats, violations, fitted models, the cut.

import { COLOURS } from "./colours.js"; // written with the book, from the table of its figures

const d3 = window.d3;
const MARGIN = { top: 12, right: 14, bottom: 44, left: 58 };
const LINE = 13; // px, of a label
const DASHES = ["", "7 3", "2 3", "9 3 2 3"];

// Colour and dash of each of some learners: the colour that it has in every figure of the book,
// the dash where another that is shown has the same colour. The page's styles may vary the colour.
export function looks(learners) {
  return learners.map((name, k) => {
    const colour = COLOURS[name] ?? "#000000";
    const before = learners.slice(0, k).filter((other) => COLOURS[other] === COLOURS[name]).length;
    return { colour: colour === "#000000" ? "var(--pst-color-text-base)"
      : `var(--drawn-${colour.slice(1).toLowerCase()}, ${colour})`, dash: DASHES[before % DASHES.length] };
  });
}

// `low`: a chart that leaves room for a page's other things.
export function draw(svgNode, { series, marks, fits, state, metric, onCut, low }) {
  const svg = d3.select(svgNode);
  const width = Math.max(svgNode.parentNode.clientWidth, 280);
  const height = Math.round(low ? Math.min(300, Math.max(190, width * 0.4))
    : Math.min(420, Math.max(260, width * 0.62)));
  svg.attr("viewBox", `0 0 ${width} ${height}`).selectAll("*").remove();
  const points = series.flatMap((one) => one.points);
  if (!points.length) return;
  const label = wrapped(metric.label + (metric.unit ? ` [${metric.unit}]` : ""),
    (height - MARGIN.bottom - MARGIN.top) / 6);
  const left = MARGIN.left + LINE * (label.length - 1);
  const x = scale(state.x, points.map((p) => p.anchor), [left, width - MARGIN.right]);
  const y = scale(state.y, extent(series, fits, state.repeats, metric),
    [height - MARGIN.bottom, MARGIN.top]);
  axes(svg, x, y, width, height, state, label);
  const clip = `${svgNode.closest("section").querySelector("[data-part=frame]").id || "frame"}-clip`;
  const within = (name, more) => { // bands end at the axes; points on them are whole
    svg.append("clipPath").attr("id", `${clip}-${name}`).append("rect").attr("x", left - more)
      .attr("y", MARGIN.top - more).attr("width", width - left - MARGIN.right + 2 * more)
      .attr("height", height - MARGIN.top - MARGIN.bottom + more);
    return svg.append("g").attr("clip-path", `url(#${clip}-${name})`);
  };
  const bands = within("bands", 0);
  const frame = within("points", 6);
  for (const one of series) drawCurve(frame, bands, one, x, y, state);
  for (const one of fits) (one.at ? drawForecast : drawFit)(bands, one, x, y);
  for (const mark of marks) drawMark(frame, mark, x, y);
  if (state.model) drawCut(svg, x, height, state.cut, onCut);
}

// A label's words in lines of at most so many letters.
function wrapped(text, letters) {
  return text.split(" ").reduce((lines, word) => {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    return longer.length > letters ? [...lines, word] : [...lines.slice(0, -1), longer];
  }, [""]);
}

function scale(kind, values, range) {
  let [low, high] = d3.extent(values.filter((v) => Number.isFinite(v) && (kind !== "log" || v > 0)));
  if (low === high) { low -= Math.abs(low) * 0.1 || 0.01; high += Math.abs(high) * 0.1 || 0.01; }
  return kind === "log" ? d3.scaleLog().domain([low, high]).range(range)
    : d3.scaleLinear().domain([low, high]).nice().range(range);
}

function extent(series, fits, repeats, metric) {
  const bands = fits.filter((one) => one.at).flatMap(({ at, end }) => [at(end)[0], at(end)[2]]);
  const values = [...bands, ...series.flatMap((one) => one.points.flatMap((p) => (repeats
    ? p.values.filter((v) => !Number.isNaN(v))
    : [p.low ?? p.middle, p.high ?? p.middle])))];
  return metric.unit ? values : [...values, ...(Math.min(...values) < 0.05 ? [0] : [])];
}

function axes(svg, x, y, width, height, state, label) {
  const [start] = x.range();
  const bottom = d3.axisBottom(x).tickFormat(d3.format("~s"));
  if (state.x === "log") {
    bottom.tickValues(d3.range(0, 20).map((k) => 16 * 2 ** k)
      .filter((n) => n >= x.domain()[0] * 0.99 && n <= x.domain()[1] * 1.01)
      .filter((_, k, all) => k % Math.ceil(all.length / (width / 60)) === 0))
      .tickFormat(d3.format(",d"));
  } else bottom.ticks(Math.max(3, Math.floor(width / 90))).tickFormat(d3.format(",d"));
  const left = d3.axisLeft(y).ticks(6, state.y === "log" ? ".2~g" : undefined);
  svg.append("g").attr("class", "grid").attr("transform", `translate(${start},0)`)
    .call(d3.axisLeft(y).ticks(6).tickSize(-(width - start - MARGIN.right)).tickFormat(""));
  svg.append("g").attr("transform", `translate(0,${height - MARGIN.bottom})`).call(bottom);
  svg.append("g").attr("transform", `translate(${start},0)`).call(left);
  svg.append("text").attr("class", "label").attr("x", (start + width) / 2)
    .attr("y", height - 8).attr("text-anchor", "middle").text("training-set size [rows]");
  label.forEach((line, k) => svg.append("text").attr("class", "label").attr("text-anchor", "middle")
    .attr("transform", `translate(${14 + LINE * k},${(height - MARGIN.bottom + MARGIN.top) / 2}) rotate(-90)`)
    .text(line));
}

function drawCurve(frame, bands, { points, look }, x, y, state) {
  const { colour, dash } = look;
  const ok = (v) => Number.isFinite(v) && (state.y !== "log" || v > 0);
  if (state.repeats) {
    const repeats = d3.range(points[0]?.values.length ?? 0);
    for (const r of repeats) {
      bands.append("path").datum(points).attr("fill", "none").attr("stroke", colour)
        .attr("stroke-width", 0.6).attr("opacity", 0.35)
        .attr("d", d3.line().defined((p) => ok(p.values[r])).x((p) => x(p.anchor))
          .y((p) => y(p.values[r])));
    }
  } else {
    bands.append("path").datum(points).attr("fill", colour).attr("fill-opacity", 0.22)
      .attr("stroke", "none")
      .attr("d", d3.area().defined((p) => p.low !== null && ok(p.low))
        .x((p) => x(p.anchor)).y0((p) => y(p.low)).y1((p) => y(p.high)));
  }
  frame.append("path").datum(points).attr("class", "mean").attr("fill", "none")
    .attr("stroke", colour).attr("stroke-width", 1.8).attr("stroke-dasharray", dash)
    .attr("d", d3.line().defined((p) => ok(p.middle)).x((p) => x(p.anchor)).y((p) => y(p.middle)));
  frame.append("g").selectAll("circle").data(points.filter((p) => ok(p.middle))).enter()
    .append("circle").attr("cx", (p) => x(p.anchor)).attr("cy", (p) => y(p.middle)).attr("r", 2.4)
    .attr("fill", colour)
    .append("title").text((p) => `${p.anchor} rows: ${p.middle.toPrecision(4)}`
      + (p.low === null ? "" : ` (${p.low.toPrecision(4)} to ${p.high.toPrecision(4)})`));
}

function drawFit(frame, { predict, from, to, look }, x, y) {
  const steps = d3.range(0, 81).map((s) => from * (to / from) ** (s / 80));
  frame.append("path").datum(steps.map((n) => [n, predict(n)])).attr("class", "fit")
    .attr("fill", "none").attr("stroke", look.colour).attr("stroke-width", 1.4)
    .attr("stroke-dasharray", "3 3")
    .attr("d", d3.line().defined(([, v]) => Number.isFinite(y(v))).x(([n]) => x(n))
      .y(([, v]) => y(v)));
}

// The median as a dashed line, the 90 % interval as a pale band with dotted ends.
function drawForecast(frame, { at, from, to, look }, x, y) {
  const steps = d3.range(0, 61).map((s) => from * (to / from) ** (s / 60))
    .map((n) => [n, at(n)]);
  const { colour } = look;
  const place = (v) => (Number.isFinite(y(v)) ? y(v) : y.range()[0]);
  frame.append("path").datum(steps).attr("class", "interval").attr("fill", colour)
    .attr("fill-opacity", 0.12).attr("stroke", colour).attr("stroke-width", 0.8)
    .attr("stroke-dasharray", "1 3")
    .attr("d", d3.area().x(([n]) => x(n)).y0(([, q]) => place(q[0])).y1(([, q]) => place(q[2])));
  frame.append("path").datum(steps).attr("class", "fit").attr("fill", "none")
    .attr("stroke", colour).attr("stroke-width", 1.4).attr("stroke-dasharray", "3 3")
    .attr("d", d3.line().defined(([, q]) => Number.isFinite(y(q[1]))).x(([n]) => x(n))
      .y(([, q]) => y(q[1])));
}

// `below(n)`: what the values at `at` are a violation of.
function drawMark(frame, { kind, at, values, below, size }, x, y) {
  const group = frame.append("g").attr("class", `mark ${kind}`);
  const top = at.length === 3 ? 1 : at.length - 1;
  if (at.length > 1) {
    const [from, to] = [at[0], at[at.length - 1]];
    group.append("path").datum(d3.range(0, 41).map((s) => from * (to / from) ** (s / 40)))
      .attr("d", d3.line().x((n) => x(n)).y((n) => y(below(n))));
    group.append("line").attr("class", "gap").attr("x1", x(at[top])).attr("x2", x(at[top]))
      .attr("y1", y(below(at[top]))).attr("y2", y(values[top]));
  }
  at.forEach((n, k) => group.append("circle").attr("cx", x(n)).attr("cy", y(values[k])).attr("r", 5));
  group.append("title").text(`${kind}: violation of ${size}`);
}

function drawCut(svg, x, height, cut, onCut) {
  const handle = svg.append("g").attr("class", "cut").attr("transform", `translate(${x(cut)},0)`);
  handle.append("line").attr("y1", MARGIN.top).attr("y2", height - MARGIN.bottom);
  handle.append("rect").attr("x", -14).attr("width", 28).attr("y", MARGIN.top)
    .attr("height", height - MARGIN.bottom - MARGIN.top).attr("fill", "transparent");
  handle.append("circle").attr("cy", height - MARGIN.bottom).attr("r", 8);
  handle.call(d3.drag().on("drag", () => onCut(x.invert(d3.event.x), true))
    .on("end", () => onCut(x.invert(d3.event.x), false)));
}
