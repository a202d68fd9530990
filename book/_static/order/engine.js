// What an order is worth, as analysis.leaderboards.order computes it: the same draws, the same numbers.
"use strict";
window.orderEngine = (() => {
  const POWER = 0.8416212335729143; // normal quantiles of 0.8 and 0.9
  const INNER = 1.2815515655446004;
  const ROUNDING = 1e-9;
  const GOLDEN = 0x9E3779B9;
  const GUESSES = {
    task: ["task", "dataset", "data", "task_name", "dataset_name", "problem_name", "task_id", "tid",
      "did", "benchmark", "instance", "instance_id"],
    method: ["method", "learner", "model", "algorithm", "framework", "classifier", "estimator",
      "system", "config"],
    value: ["value", "score", "result", "metric_error", "error", "accuracy", "acc", "auc", "roc_auc",
      "f1", "r2", "error_rate", "loss", "log_loss", "logloss", "rmse", "mae",
      "predictive_accuracy", "mean"],
    fold: ["fold", "split_id", "cv_fold"],
    seed: ["seed", "repeat", "repetition", "run", "trial"],
    family: ["family"],
  };
  const LOWER = /error|loss|rmse|mae|mse|regret|time|seconds|rank/i;
  const MISSING = new Set(["", "na", "nan", "n/a", "null", "none", "<na>", "#n/a"]);

  // --- reading -----------------------------------------------------------------------------
  function parseCsv(text) {
    const first = text.slice(0, (text + "\n").indexOf("\n"));
    const separator = [",", ";", "\t"].reduce((best, c) =>
      (first.split(c).length > first.split(best).length ? c : best));
    const rows = [];
    let row = [];
    let cell = "";
    let quoted = false;
    for (let k = 0; k < text.length; k += 1) {
      const c = text[k];
      if (quoted) {
        if (c === '"' && text[k + 1] === '"') { cell += '"'; k += 1; }
        else if (c === '"') quoted = false;
        else cell += c;
      } else if (c === '"') quoted = true;
      else if (c === separator) { row.push(cell); cell = ""; }
      else if (c === "\n" || c === "\r") {
        if (c === "\r" && text[k + 1] === "\n") k += 1;
        row.push(cell); cell = "";
        if (row.some((x) => x.trim() !== "")) rows.push(row);
        row = [];
      } else cell += c;
    }
    row.push(cell);
    if (row.some((x) => x.trim() !== "")) rows.push(row);
    return rows.map((cells) => cells.map((x) => x.trim().replace(/^\uFEFF/, "")));
  }

  // Return a list of {task, method, value, fold, seed, family} and whether lower is better.
  function readTable(text) {
    const [head, ...body] = parseCsv(text);
    if (!head || !body.length) throw new Error("This file holds no table: a line of names, then a line a result.");
    const lowered = head.map((name) => name.toLowerCase());
    const at = {};
    for (const [role, names] of Object.entries(GUESSES)) {
      const found = names.map((name) => lowered.indexOf(name)).find((k) => k >= 0);
      if (found !== undefined) at[role] = found;
    }
    if (at.method === undefined || at.value === undefined) return fromWide(head, body, at);
    if (at.task === undefined) throw new Error(`There is no column of tasks among ${head.slice(0, 12).join(", ")}.`);
    const variant = lowered.indexOf("variant");
    const metric = lowered.indexOf("metric");
    const told = ["lower_is_better", "higher_is_better"].map((name) => lowered.indexOf(name));
    const rows = body.map((cells) => ({
      task: cells[at.task], value: cells[at.value] ?? "",
      method: cells[at.method] + (variant >= 0 && cells[variant] ? ` (${cells[variant]})` : ""),
      fold: at.fold === undefined ? "" : cells[at.fold], seed: at.seed === undefined ? "" : cells[at.seed],
      family: at.family === undefined ? "" : cells[at.family],
      lower: told[0] >= 0 ? yes(cells[told[0]], head[told[0]])
        : told[1] >= 0 ? !yes(cells[told[1]], head[told[1]])
          : LOWER.test(head[at.value]) || (metric >= 0 && LOWER.test(cells[metric] ?? "")),
    }));
    return rows;
  }

  function yes(text, column) {
    const meant = { true: true, yes: true, 1: true, "1.0": true, false: false, no: false, 0: false,
      "0.0": false }[String(text).toLowerCase()];
    if (meant === undefined) throw new Error(`Column ${column} says yes or no (true or false, 1 or 0), not '${text}'.`);
    return meant;
  }

  function fromWide(head, body, at) {
    const byMethod = at.method !== undefined;
    const first = byMethod ? at.method : at.task ?? 0;
    const keep = [at.fold, at.seed, at.family].filter((k) => k !== undefined && k !== first);
    const rest = head.map((_, k) => k).filter((k) => k !== first && !keep.includes(k));
    if (rest.length < 2) {
      throw new Error("This is no table of results: it takes columns task, method and value, or a row "
        + `per task with a column per method. There are ${head.slice(0, 12).join(", ")}.`);
    }
    const get = (cells, k) => (k === undefined || k === first ? "" : cells[k]);
    return body.flatMap((cells) => rest.map((k) => ({
      task: byMethod ? head[k] : cells[first], method: byMethod ? cells[first] : head[k],
      value: cells[k] ?? "", fold: get(cells, at.fold), seed: get(cells, at.seed),
      family: get(cells, at.family), lower: false })));
  }

  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const unique = (names) => [...new Set(names)].sort(compare);
  const name = (text) => (/^-?\d+\.0+$/.test(text) ? String(parseInt(text, 10)) : text);

  // Return checked cells: value[task][method], higher better, tasks by family.
  function layCells(rows, lowerWins = null) {
    for (const row of rows) { row.task = name(row.task); row.fold = name(row.fold); row.seed = name(row.seed); }
    for (const role of ["task", "method"]) {
      const nameless = rows.filter((row) => !row[role]).length;
      if (nameless) throw new Error(`${nameless} rows have no ${role}.`);
    }
    const methods = unique(rows.map((row) => row.method));
    if (methods.length < 2) throw new Error(`There is one method only (${methods[0]}): an order needs two or more.`);
    const families = new Map();
    const lower = new Map();
    const cells = new Map();
    for (const row of rows) {
      check(families, row.task, row.family || row.task, "families");
      check(lower, row.task, lowerWins === null ? row.lower : lowerWins, "directions");
      const key = `${row.task}\u0000${row.method}`;
      if (!cells.has(key)) cells.set(key, []);
      cells.get(key).push(row);
    }
    const tasks = [...families.keys()].sort((a, b) =>
      compare(families.get(a), families.get(b)) || compare(a, b));
    const value = tasks.map((task) => methods.map((method) =>
      mean(cells.get(`${task}\u0000${method}`) ?? [], lower.get(task))));
    methods.forEach((method, k) => {
      if (value.every((row) => Number.isNaN(row[k]))) throw new Error(`${method} has no value at all. Leave it out.`);
    });
    const names = unique([...families.values()]);
    const family = tasks.map((task) => names.indexOf(families.get(task)));
    return { methods, tasks, families: names, family, value,
      missing: value.flat().filter(Number.isNaN).length };
  }

  function check(known, task, found, what) {
    if (!known.has(task)) known.set(task, found);
    else if (known.get(task) !== found) throw new Error(`Task ${task} has two ${what}: a task has one.`);
  }

  function mean(rows, lower) {
    const sorted = [...rows].sort((a, b) => compare(a.fold, b.fold) || compare(a.seed, b.seed));
    let sum = 0;
    let n = 0;
    sorted.forEach((row, k) => {
      const before = sorted[k - 1];
      if (before && before.fold === row.fold && before.seed === row.seed) {
        throw new Error(`A result is given twice: ${row.method} on ${row.task}. Tell repeats apart by a column fold or seed.`);
      }
      if (MISSING.has(row.value.toLowerCase())) return;
      const number = Number(row.value);
      if (Number.isNaN(number)) {
        throw new Error(`'${row.value}' of ${row.method} on ${row.task} `
          + (row.value.includes("%") ? "carries a percent sign: give plain numbers." : "is no number: leave a missing result empty."));
      }
      if (!Number.isFinite(number)) throw new Error(`A value of ${row.method} on ${row.task} is infinite: leave a missing result empty.`);
      sum += number; n += 1;
    });
    return n ? rounded((lower ? -sum : sum) / n) : NaN;
  }

  function rounded(value) {
    if (value === 0) return 0;
    const scale = 10 ** (11 - Math.floor(Math.log10(Math.abs(value))));
    const shifted = value * scale;
    const down = Math.floor(shifted);
    const rest = shifted - down;
    const whole = rest > 0.5 || (rest === 0.5 && down % 2 !== 0) ? down + 1 : down;
    return whole / scale;
  }

  // --- estimates ---------------------------------------------------------------------------
  function estimate({ methods, families, family, value, missing }) {
    const M = methods.length;
    const F = families.length;
    const level = new Float64Array(M).fill(1);
    const residual = matrix(F, M);
    const common = matrix(M, M);
    for (let k = 0; k < M; k += 1) {
      const won = matrix(F, M);
      const count = matrix(F, M);
      value.forEach((row, t) => {
        if (Number.isNaN(row[k])) return;
        for (let j = 0; j < M; j += 1) {
          if (!Number.isNaN(row[j])) {
            won[family[t]][j] += row[k] === row[j] ? 0.5 : row[k] > row[j] ? 1 : 0;
            count[family[t]][j] += 1;
          }
        }
      });
      for (let j = 0; j < M; j += 1) {
        let n = 0;
        let sum = 0;
        for (let f = 0; f < F; f += 1) {
          if (count[f][j]) { won[f][j] /= count[f][j]; sum += won[f][j]; n += 1; }
        }
        common[k][j] = n;
        if (j === k) continue;
        const rate = n ? sum / n : 0.5;
        const left = Math.max(n - 1, 1);
        const stretch = missing ? Math.sqrt(n / left) / left : 1 / Math.sqrt(Math.max(n, 1) * left);
        for (let f = 0; f < F; f += 1) {
          if (count[f][j]) residual[f][j] += (won[f][j] - rate) * (n > 1 ? stretch : 0) + (n > 1 ? 0 : 0.5);
        }
        level[j] += rate;
      }
    }
    const middle = level.reduce((a, b) => a + b, 0) / M;
    const parts = residual.map((row) => row.map((x, j) =>
      x * Math.sqrt((F - 1) / F) + (level[j] - middle) / F));
    const shared = matrix(M, M);
    const slack = matrix(M, M);
    const never = common.map((row) => row.filter((n) => n === 0).length / 2);
    for (let i = 0; i < M; i += 1) {
      for (let j = 0; j < M; j += 1) {
        shared[i][j] = missing ? Math.max(common[i][i] + common[j][j] - common[i][j], 2) : F;
        slack[i][j] = never[i] + never[j];
      }
    }
    return { level, parts, squares: squaresOf(residual, M), shared, common, slack };
  }

  const matrix = (rows, columns) => Array.from({ length: rows }, () => new Float64Array(columns));

  function squaresOf(rows, M) {
    const squares = matrix(M, M);
    for (let i = 0; i < M; i += 1) {
      for (let j = i + 1; j < M; j += 1) {
        let sum = 0;
        for (const row of rows) sum += (row[i] - row[j]) ** 2;
        squares[i][j] = sum < 1e-24 ? 0 : sum;
        squares[j][i] = squares[i][j];
      }
    }
    return squares;
  }

  // --- sign flips --------------------------------------------------------------------------
  function mix(word) {
    let w = word >>> 0;
    w = Math.imul(w ^ (w >>> 16), 0x7FEB352D) >>> 0;
    w = Math.imul(w ^ (w >>> 15), 0x846CA68B) >>> 0;
    return (w ^ (w >>> 16)) >>> 0;
  }

  function signs(draw, F, seed) {
    const start = mix(seed);
    return Float64Array.from({ length: F }, (_, f) => {
      const key = mix((start + Math.imul(f, GOLDEN)) >>> 0);
      const word = mix((key + Math.imul(draw, GOLDEN)) >>> 0);
      return draw === 0 || word >>> 31 ? 1 : -1;
    });
  }

  const allSigns = (draw, F) => Float64Array.from({ length: F }, (_, f) =>
    (f < 31 && (draw >> f) & 1 ? -1 : 1));

  function largest(parts, shared, draws, seed) {
    const F = parts.length;
    const M = parts[0].length;
    const squares = squaresOf(parts, M);
    const every = F <= 31 && 2 ** (F - 1) <= draws;
    const found = new Float64Array(every ? 2 ** (F - 1) : draws);
    const weight = squares.map((row, i) => row.map((q, j) => (q * shared[i][j] > 0 ? 1 / (q * shared[i][j]) : 0)));
    for (let b = 0; b < found.length; b += 1) {
      const sign = every ? allSigns(b, F) : signs(b, F, seed);
      const flipped = new Float64Array(M);
      for (let f = 0; f < F; f += 1) {
        const row = parts[f];
        const s = sign[f];
        for (let j = 0; j < M; j += 1) flipped[j] += s * row[j];
      }
      let best = 0;
      for (let i = 0; i < M - 1; i += 1) {
        for (let j = i + 1; j < M; j += 1) {
          const far = flipped[j] - flipped[i];
          const h = Math.min(far * far * weight[i][j], 1 - 1e-15);
          const t = (h / (1 - h)) * (shared[i][j] - 1);
          if (t > best) best = t;
        }
      }
      found[b] = best;
    }
    return found.sort();
  }

  // --- the order ---------------------------------------------------------------------------
  function order(cells, { draws = 2000, seed = 0, level = 0.95 } = {}) {
    const found = estimate(cells);
    const M = cells.methods.length;
    const alpha = 1 - level;
    const least = 1 + Math.ceil(Math.log2(1 / alpha) - 1e-9);
    const counted = found.shared.map((row, i) => row.map((n, j) => (found.common[i][j] >= least ? n : 0)));
    const maxima = largest(found.parts, counted, draws, seed);
    const k = Math.floor(alpha * maxima.length + 1e-9);
    const critical = maxima[maxima.length - 1 - k] * (1 + ROUNDING);
    const effect = (i, j) => Math.round((found.level[j] - found.level[i]) * 1e12) / 1e12;
    const statistic = (i, j) => {
      const sure = Math.max(Math.abs(effect(i, j)) - found.slack[i][j], 0);
      return found.squares[i][j] > 0 ? sure ** 2 / found.squares[i][j] : sure === 0 ? 0 : Infinity;
    };
    const differ = (i, j) => i !== j && statistic(i, j) > critical && found.common[i][j] >= least;
    const all = cells.methods.map((_, i) => i);
    const place = [...all].sort((i, j) => compare(Math.round(found.level[i] * 1e9), Math.round(found.level[j] * 1e9)) || i - j);
    const named = letters(place.map((i) => place.map((j) => differ(i, j))));
    const ranks = place.map((i, at) => {
      const low = 1 + all.filter((j) => differ(i, j) && effect(j, i) > 0).length;
      return { method: cells.methods[i], rank: 1 + all.filter((j) => effect(j, i) > 0).length,
        mean_rank: found.level[i], low, high: M - all.filter((j) => differ(i, j) && effect(j, i) < 0).length,
        letters: named[at], may_be_first: low === 1 };
    });
    const pairs = [];
    place.forEach((i, a) => place.slice(a + 1).forEach((j) => {
      pairs.push(pair(i, j));
    }));
    function pair(i, j) {
      const [gap, n, error] = [effect(i, j), found.common[i][j], Math.sqrt(found.squares[i][j])];
      const enough = n >= least;
      const above = maxima.length - firstAtLeast(maxima, statistic(i, j) * (1 - ROUNDING));
      const p = Math.max(Math.max(above, 1) / maxima.length, 2 ** (1 - n));
      const reach = enough ? Math.sqrt(critical) * error + found.slack[i][j] : Infinity;
      const spread = error * Math.sqrt(n) * (Math.sqrt(critical) + POWER);
      const needed = (size) => (size > 0 ? Math.max(Math.ceil((spread / size) ** 2), least) : Infinity);
      return { one: cells.methods[i], other: cells.methods[j], effect: gap,
        low: Math.max(gap - reach, 1 - M), high: Math.min(gap + reach, M - 1),
        p_adjusted: enough ? Math.min(p, 1) : 1, tasks_needed: needed(gap),
        needed_from: needed(gap + INNER * error), needed_to: needed(gap - INNER * error) };
    }
    return { ranks, pairs, critical: Math.sqrt(critical), n_tasks: cells.tasks.length,
      n_families: cells.families.length, missing: cells.missing, notes: notes(cells, found, least) };
  }

  function firstAtLeast(sorted, value) {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < value) low = middle + 1; else high = middle;
    }
    return low;
  }

  function notes(cells, found, least) {
    const said = [];
    if (cells.families.length < least) {
      said.push(`${cells.families.length} families of tasks separate nobody: ${least} are the least.`);
    }
    const never = found.common.flatMap((row) => [...row]).filter((n) => n === 0).length / 2;
    if (never) said.push(`${never} pairs of methods share no task: which is better there is unknown, and intervals allow for either.`);
    if (cells.missing) {
      said.push(`${cells.missing} of ${cells.tasks.length * cells.methods.length} cells are missing: methods are compared on the `
        + "tasks they share; where results are missing because they were bad, nothing mends that.");
    }
    return said;
  }

  // Largest sets of methods of which no two differ; the best method first.
  function letters(differ) {
    const n = differ.length;
    let groups = [(1n << BigInt(n)) - 1n];
    for (let i = 0; i < n; i += 1) {
      for (let j = i + 1; j < n; j += 1) {
        if (!differ[i][j]) continue;
        const one = 1n << BigInt(i);
        const other = 1n << BigInt(j);
        const split = groups.filter((g) => (g & one) && (g & other));
        if (!split.length) continue;
        let kept = groups.filter((g) => !((g & one) && (g & other)));
        for (const g of new Set(split.flatMap((s) => [s & ~one, s & ~other]))) {
          if (!kept.some((h) => (g & h) === g)) kept = [...kept.filter((h) => (h & g) !== h), g];
        }
        groups = kept;
      }
    }
    const members = groups.map((g) => [...Array(n).keys()].filter((m) => (g >> BigInt(m)) & 1n));
    members.sort((a, b) => {
      for (let k = 0; k < Math.min(a.length, b.length); k += 1) if (a[k] !== b[k]) return a[k] - b[k];
      return a.length - b.length;
    });
    const names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const label = members.length > names.length ? (k) => `${k + 1} ` : (k) => names[k];
    return [...Array(n).keys()].map((m) => members.map((group, k) =>
      (group.includes(m) ? label(k) : "")).join("").trim());
  }

  return { parseCsv, readTable, layCells, order, signs };
})();
