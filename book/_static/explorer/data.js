// Read the explorer's static files: the list of databases, a database's index, a dataset, a block.

const d3 = window.d3;
const cache = new Map();

function once(url, read) {
  if (!cache.has(url)) {
    const answer = fetch(url).then((response) => {
      if (!response.ok) throw new Error(`${url} answered ${response.status}`);
      return read(response);
    });
    answer.catch(() => cache.delete(url)); // what failed is asked for again
    cache.set(url, answer);
  }
  return cache.get(url);
}

// Control characters and marks of direction in names stay the escapes that JSON has for them.
const HIDDEN = /(?<!\\)((?:\\\\)*)\\(u00(?:[01]|7f|[89])|u061c|u20(?:0[ef]|2[89a-e]|6[6-9]))/gi;
const json = (url) => once(url, async (response) => JSON.parse((await response.text()).replace(HIDDEN, "$1\\\\$2")));

export class Library {
  constructor(root) { this.root = root; }

  databases() { return json(`${this.root}/databases.json`); }

  index(database) { return json(`${this.root}/${database}/index.json`); }

  dataset(database, key) { return json(`${this.root}/${database}/${key}.json`); }

  // Return the points of a line for each dataset of the index, of the learner at a place in it.
  thumbnails(database, place) {
    return json(`${this.root}/${database}/thumbnails.${String(place).padStart(3, "0")}.json`);
  }

  // Return a dataset's forecasts, null where it has none.
  forecasts(database, about) {
    return about.forecasts ? json(`${this.root}/${database}/${about.forecasts.file}`) : null;
  }

  // Return the values of a block: Float32Array in the order learner, split, anchor, repeat.
  async block(database, description) {
    const values = await once(`${this.root}/${database}/${description.file}`, async (response) => {
      const unpacked = response.body.pipeThrough(new DecompressionStream("gzip"));
      return new Float32Array(await new Response(unpacked).arrayBuffer());
    });
    return new Block(description, values);
  }
}

export class Block {
  constructor(description, values) {
    this.learners = description.learners;
    this.splits = description.splits;
    this.anchors = description.anchors;
    this.repeats = description.repeats;
    this.values = values;
  }

  // Return a curve's points: anchor, n, values, and what `centre`, a name in CENTRES, says of them.
  curve(learner, split, centre = "mean") {
    const l = this.learners.indexOf(learner);
    const s = this.splits.length ? this.splits.indexOf(split) : 0;
    if (l < 0 || s < 0) return [];
    const splits = Math.max(this.splits.length, 1);
    const points = [];
    this.anchors.forEach((anchor, a) => {
      const start = ((l * splits + s) * this.anchors.length + a) * this.repeats;
      const all = Array.from(this.values.subarray(start, start + this.repeats));
      const there = all.filter((value) => !Number.isNaN(value));
      if (there.length) points.push({ anchor, n: there.length, values: all, ...CENTRES[centre].of(there) });
    });
    return points;
  }
}

// What a line and its band are of the repeats: `middle`, `low` and `high` are drawn, the ends null
// with one repeat; `middle` and `spread` are the numbers shown under `columns`.
export const CENTRES = {
  mean: { columns: ["mean", "standard error"], of: (values) => {
    const n = values.length;
    const middle = values.reduce((sum, value) => sum + value, 0) / n;
    if (n < 2) return { middle, low: null, high: null, spread: [null] };
    const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
    const error = Math.sqrt(squares / (n - 1) / n);
    return { middle, low: middle - error, high: middle + error, spread: [error] };
  } },
  median: { columns: ["median", "lower quartile", "upper quartile"], of: (values) => {
    const sorted = values.slice().sort(d3.ascending);
    const [low, middle, high] = [0.25, 0.5, 0.75].map((q) => d3.quantile(sorted, q));
    const ends = values.length < 2 ? [null, null] : [low, high];
    return { middle, low: ends[0], high: ends[1], spread: ends };
  } },
};
