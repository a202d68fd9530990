// Read the explorer's static files: the list of databases, a database's index, a dataset, a block.

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

const json = (url) => once(url, (response) => response.json());

export class Library {
  constructor(root) { this.root = root; }

  databases() { return json(`${this.root}/databases.json`); }

  index(database) { return json(`${this.root}/${database}/index.json`); }

  dataset(database, key) { return json(`${this.root}/${database}/${key}.json`); }

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

  // Return a curve's points: anchor, mean, standard error (null with one repeat), values.
  curve(learner, split) {
    const l = this.learners.indexOf(learner);
    const s = this.splits.length ? this.splits.indexOf(split) : 0;
    if (l < 0 || s < 0) return [];
    const splits = Math.max(this.splits.length, 1);
    const points = [];
    this.anchors.forEach((anchor, a) => {
      const start = ((l * splits + s) * this.anchors.length + a) * this.repeats;
      const all = Array.from(this.values.subarray(start, start + this.repeats));
      const there = all.filter((value) => !Number.isNaN(value));
      if (there.length) points.push({ anchor, ...summary(there), values: all });
    });
    return points;
  }
}

function summary(values) {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n < 2) return { mean, error: null, n };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares / (n - 1) / n), n };
}
