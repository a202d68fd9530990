// Save what is shown as CSV, SVG or PNG.

import { CENTRES } from "./data.js";

// `series`: learner, points, and the dataset's name where it is not that of `about`.
export function saveCsv(series, about) {
  const rows = [["database", "dataset", "learner", "metric", "split", "scaling", "leakage",
    "anchor", ...CENTRES[about.centre].columns.map((name) => name.replaceAll(" ", "_")), "repeats"]];
  for (const { learner, points, name = about.name } of series) {
    for (const { anchor, middle, spread, n } of points) {
      rows.push([about.database, name, learner, about.metric, about.split, about.scaling,
        about.leakage, anchor, middle, ...spread.map((value) => value ?? ""), n]);
    }
  }
  save(new Blob([window.peoplesCsv(rows)], { type: "text/csv" }), `${about.file}.csv`);
}

// Copy an SVG with its colours written out, on a white ground.
function standalone(svg) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const from = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, k) => {
    const style = getComputedStyle(from[k]);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity",
      "fill-opacity", "font-size", "font-family", "text-anchor"]) {
      node.style.setProperty(name, style.getPropertyValue(name));
    }
  });
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.style.background = getComputedStyle(document.documentElement)
    .getPropertyValue("--pst-color-background") || "#fff";
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

export function saveSvg(svg, file) {
  save(new Blob([standalone(svg).text], { type: "image/svg+xml" }), `${file}.svg`);
}

export function savePng(svg, file, scale = 2) {
  const { text, width, height } = standalone(svg);
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width * scale, height * scale];
    const pen = canvas.getContext("2d");
    pen.fillStyle = getComputedStyle(document.body).backgroundColor;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${file}.png`), "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
