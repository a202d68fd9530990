// What an order is worth, as analysis.leaderboards.order computes it: the same rules of reading, the
// same draws, the same numbers. One function without surroundings, as a worker runs its text too.
"use strict";
function makeOrderEngine() {
  const POWER = 0.8416212335729143; // normal quantiles of 0.8 and 0.9
  const INNER = 1.2815515655446004;
  const ROUNDING = 1e-9;
  const GOLDEN = 0x9E3779B9;
  const RESAMPLING = 0xB5297A4D;
  const OWN_SPREAD = 0.05;
  const BLOCKS = 256;
  const PAIRS = 2000;
  const RESAMPLES_OF_MANY = 500;

  // --- reading: the rules of analysis/leaderboards/reading.py ---------------------------------
  const GUESSES = {
    task: ["task", "dataset", "data", "task_name", "dataset_name", "problem_name", "task_id", "tid",
      "did", "benchmark", "instance", "instance_id"],
    method: ["method", "learner", "model", "algorithm", "framework", "classifier", "estimator",
      "system", "config"],
    fold: ["fold", "split_id", "cv_fold"],
    seed: ["seed", "repeat", "repetition", "run", "trial"],
    family: ["family"],
  };
  const VALUES = ["value", "score", "result", "metric_error", "error", "accuracy", "acc", "auc",
    "roc_auc", "f1", "r2", "error_rate", "loss", "log_loss", "logloss", "rmse", "mae",
    "predictive_accuracy", "mean"];
  const OWN = ["study", "problem", "metric", "variant", "higher_is_better", "lower_is_better",
    "deviation", "repeats", "reason"];
  const HIGHER = new Set(("accuracy acc bacc auc auroc rocauc auprc prauc aucpr ap map f1 fscore fmeasure "
    + "r2 precision recall sensitivity specificity mcc kappa ndcg mrr bleu rouge meteor iou miou dice "
    + "jaccard correlation spearman pearson kendall elo win wins psnr ssim lift gini gmean nmi ari reward hits").split(" "));
  const LOWER = new Set(("error errors err loss logloss rmse mse mae mape smape mase wape wql rmsle rmsse "
    + "nrmse medae brier deviance regret time seconds runtime duration crps nll ece mce perplexity ppl rank "
    + "ranks wer cer fid cost distance hamming misclassification entropy crossentropy hinge").split(" "));
  const SUMMARY = new Set(("mean average avg median meanrank averagerank avgrank rank std sd stdev stddev min "
    + "max minimum maximum best worst total sum overall gesamt mittelwert meanstd").split(" "));
  const COUNTS = new Set(("n rows samples instances examples size features columns attributes classes count "
    + "counts number num id did tid year time seconds runtime duration fold seed index").split(" "));
  const INDEX = new Set(["", "unnamed: 0", "index", "#", "no", "no.", "nr", "row", "id"]);
  const METHODS = /forest|boost|svm|svc|knn|neighbo|logistic|linear|ridge|lasso|mlp|perceptron|tree|bayes|gbm|tabpfn|automl|gluon|sklearn|tpot|h2o|resnet|transformer|dummy|^(rf|et|lr|nn|nb|dt|lda|qda|gp|cart|xgb|cat|svr)$/i;
  const MISSING = new Set(["", "na", "nan", "n/a", "null", "none", "<na>", "#n/a", "-", "–", "—", "?"]);
  const MARKUP = /\\(?:textbf|mathbf|textit|underline|emph)\{([^{}]*)\}|[*†‡$]/g;
  const SPREAD = /^(.*?\S)\s*(?:±|\+\/-|\+-|\\pm)\s*\S+$|^(.*?\S)\s*\([^()]*\)$/;
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
  const THOUSANDS = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;
  const DECIMAL_COMMA = /^[+-]?\d*,\d+([eE][+-]?\d+)?$/;
  const COLUMNS_MOST = 20000;

  // Return the text of a file: UTF-8, UTF-16 with its mark, or Windows-1252; unpacked if it is .gz.
  async function decode(buffer, name) {
    let bytes = new Uint8Array(buffer);
    const kind = (name.match(/\.(gz|bz2|xz|zip|tar|parquet|pq|xlsx|xls|xlsm|ods)$/i) ?? [])[1]?.toLowerCase();
    if (kind && kind !== "gz") {
      throw new Error(`${name}: this page reads text and .gz. Save it as CSV, or use make order CSV=${name}.`);
    }
    if (kind) {
      try {
        bytes = new Uint8Array(await new Response(new Blob([bytes]).stream()
          .pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
      } catch {
        throw new Error(`${name} cannot be unpacked. It may be cut or damaged; get it anew.`);
      }
    }
    const mark = (bytes[0] << 8) | bytes[1];
    if (mark === 0xFFFE || mark === 0xFEFF) {
      return { text: new TextDecoder(mark === 0xFFFE ? "utf-16le" : "utf-16be").decode(bytes), notes: [] };
    }
    if (bytes.subarray(0, 100000).includes(0)) throw new Error(`${name} is not a text file.`);
    try {
      return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), notes: [] };
    } catch {
      return { text: new TextDecoder("windows-1252").decode(bytes),
        notes: ["The file is not in UTF-8; it is read as Windows-1252 (Western European)."] };
    }
  }

  // Call back with the cells of each line that holds any.
  function lines(text, separator, each) {
    const end = text.length;
    const mark = separator.charCodeAt(0);
    let row = [];
    let at = 0;
    while (at <= end) {
      while (text[at] === " " && separator !== " ") at += 1;
      let cell;
      if (text[at] === '"') {
        cell = "";
        at += 1;
        for (;;) {
          let stop = text.indexOf('"', at);
          if (stop < 0) stop = end;
          cell += text.slice(at, stop);
          at = stop + 1;
          if (text[at] !== '"' || stop >= end) break;
          cell += '"';
          at += 1;
        }
      }
      let stop = at;
      for (; stop < end; stop += 1) {
        const c = text.charCodeAt(stop);
        if (c === mark || c === 10 || c === 13) break;
      }
      row.push(((cell ?? "") + text.slice(at, stop)).trim());
      at = stop + 1;
      if (stop >= end || text.charCodeAt(stop) !== mark) {
        if (row.some((x) => x !== "") && each(row) === false) return;
        row = [];
        if (text[stop] === "\r" && text[at] === "\n") at += 1;
      }
    }
  }

  function parseCells(text) {
    let body = text.replace(/^\uFEFF/, "").replace(/^[\r\n]+/, "");
    const first = body.slice(0, 200).split(/[\r\n]/)[0].trim();
    let separator = null;
    if (/^sep=.?$/i.test(first)) {
      separator = first[4] ?? "\t";
      body = body.slice(body.search(/[\r\n]/)).replace(/^\r?\n?/, "");
    }
    if (!body.trim()) throw new Error("This file is empty: it takes a line of names, then a line a result.");
    const width = (c) => { let n = 0; lines(body, c, (row) => { n = row.length; return false; }); return n; };
    separator ??= [",", ";", "\t", "|"].reduce((best, c) => (width(c) > width(best) ? c : best));
    let names = null;
    const rows = [];
    lines(body, separator, (row) => {
      if (!names) { names = row; return names.length <= COLUMNS_MOST; }
      if (row.length > names.length && row.slice(names.length).some((x) => x)) {
        throw new Error(`Row ${rows.length + 2} has ${row.length} values for ${names.length} column names. `
          + "Put values that hold a separator into quotes.");
      }
      row.length = Math.min(row.length, names.length);
      while (row.length < names.length) row.push("");
      rows.push(row);
      return true;
    });
    if (names.length > COLUMNS_MOST) throw new Error(`The file has ${names.length} columns; at most ${COLUMNS_MOST} are read.`);
    if (names.length < 2) throw new Error(`The file has one column only, '${names[0]}': it is no table of columns separated by commas, semicolons or tabs.`);
    if (names.length > 2 && !names.at(-1) && rows.every((row) => !row.at(-1))) {
      names = names.slice(0, -1);
      rows.forEach((row) => row.pop());
    }
    const twice = names.find((n, k) => names.indexOf(n) !== k);
    if (twice !== undefined) {
      throw new Error(twice ? `The file has several columns named '${twice}'. Give each its own name.`
        : "The file has several columns without a name. Give each its own.");
    }
    if (!rows.length) throw new Error("This file holds no table: a line of names, then a line a result.");
    return { names, rows };
  }

  function lowerIsBetter(name) {
    const words = String(name).replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase().split(/[^a-z0-9]+/).filter(Boolean);
    const bare = words.map((w) => (HIGHER.has(w) || LOWER.has(w) ? w : w.replace(/\d+$/, "")));
    const higher = bare.some((w) => HIGHER.has(w));
    const lower = bare.some((w) => LOWER.has(w));
    if (higher === lower) return lower && ["error", "loss", "regret"].includes(bare.at(-1)) ? true : null;
    const turned = ["1", "one"].includes(words[0]) || words.includes("neg") || words.includes("negative");
    return lower !== turned;
  }

  function isNumeric(cells) {
    const there = cells.filter((c) => !MISSING.has(c.toLowerCase()));
    return there.length > 0 && there.filter((c) => /^[\s*$€\\{a-z]*[+-]?[.,]?\d/.test(c)).length * 2 >= there.length;
  }

  const head = (rows, k) => rows.slice(0, 200).map((row) => row[k]);
  const keyOf = (label) => label.toLowerCase().replace(/[^a-z]/g, "");
  const name = (text) => (text.endsWith("0") && /^-?\d+\.0+$/.test(text) ? String(parseInt(text, 10)) : text);

  // Return {columns, lower (by row, or null where nothing tells), told, layout, out}.
  function readTable(text) {
    const { names, rows } = parseCells(text);
    const lowered = names.map((n) => n.toLowerCase());
    const at = {};
    for (const [role, known] of Object.entries(GUESSES)) {
      const found = known.map((n) => lowered.indexOf(n)).find((k) => k >= 0 && !Object.values(at).includes(k));
      if (found !== undefined) at[role] = found;
    }
    if (at.method !== undefined) {
      const free = names.map((_, k) => k).filter((k) => !Object.values(at).includes(k) && !OWN.includes(lowered[k]));
      const usual = VALUES.map((n) => lowered.indexOf(n)).filter((k) => k >= 0 && free.includes(k));
      const named = free.filter((k) => lowerIsBetter(names[k]) !== null);
      const only = free.length === 1 && at.task !== undefined ? free : [];
      const found = [...usual, ...named, ...only].find((k) => isNumeric(head(rows, k)));
      if (found !== undefined && (at.task !== undefined || usual.length)) at.value = found;
    }
    return at.method !== undefined && at.value !== undefined ? fromLong(names, lowered, rows, at) : fromWide(names, rows, at);
  }

  function withoutSummaries(labels) {
    const every = [...new Set(labels)];
    const odd = new Set(every.filter((label) => SUMMARY.has(keyOf(label))));
    if (odd.size === every.length) odd.clear();
    return { kept: odd.size ? labels.map((label) => !odd.has(label)) : null,
      out: [...odd].map((label) => `row \`${label}\` (a summary)`) };
  }

  function fromLong(names, lowered, every, at) {
    if (at.task === undefined) throw new Error(`There is no column of tasks among ${names.slice(0, 12).join(", ")}: name it.`);
    const own = {};
    names.forEach((_, k) => { if (OWN.includes(lowered[k]) && !Object.values(at).includes(k)) own[lowered[k]] = k; });
    const used = [...Object.values(at), ...Object.values(own)];
    const unused = names.filter((n, k) => n && !used.includes(k)).map((n) => `column \`${n}\``);
    const { kept, out } = withoutSummaries(every.map((row) => row[at.task]));
    const rows = kept ? every.filter((_, k) => kept[k]) : every;
    const column = (k) => (k === undefined ? new Array(rows.length).fill("") : rows.map((row) => row[k]));
    const [tasks, methods] = [column(at.task), column(at.method)];
    const variant = own.variant;
    const method = variant === undefined ? methods
      : rows.map((row) => row[at.method] + (row[variant] && row[at.method] ? ` (${row[variant]})` : ""));
    const task = tasks.map(name);
    const value = numbers(column(at.value), methods, tasks);
    let [lower, told] = [null, null];
    const said = ["lower_is_better", "higher_is_better"].find((n) => own[n] !== undefined);
    const metrics = own.metric === undefined ? [] : [...new Set(column(own.metric))];
    const known = new Map(metrics.map((m) => [m, m === "" ? null : lowerIsBetter(m)]));
    if (said) {
      const turn = said === "higher_is_better";
      lower = rows.map((row) => yes(row[own[said]], names[own[said]]) !== turn);
      told = `column \`${said}\``;
    } else if (metrics.length && ![...known.values()].includes(null)) {
      lower = rows.map((row) => known.get(row[own.metric]));
      told = "column `metric`";
    } else if (lowerIsBetter(names[at.value]) !== null) {
      lower = new Array(rows.length).fill(lowerIsBetter(names[at.value]));
      told = `\`${names[at.value]}\``;
    }
    return { task, method, value, fold: column(at.fold).map(name), seed: column(at.seed).map(name),
      family: column(at.family), lower, metrics: metrics.filter((m) => m !== ""), told,
      layout: "a row per result", out: [...out, ...unused] };
  }

  function fromWide(names, every, at) {
    const all = names.map((_, k) => k);
    const numeric = all.map((k) => isNumeric(head(every, k)));
    const first = at.method ?? at.task ?? all.find((k) => !numeric[k] && every.some((row) => row[k] !== "")) ?? 0;
    const keep = ["fold", "seed", "family"].filter((role) => at[role] !== undefined && at[role] !== first);
    const kept = keep.map((role) => at[role]);
    const free = all.filter((k) => k !== first && !kept.includes(k));
    const { kept: there, out } = withoutSummaries(every.map((row) => row[first]));
    const rows = there ? every.filter((_, k) => there[k]) : every;
    const why = leftOut(rows, names, free);
    const rest = free.filter((k) => !why.has(k));
    if (rest.length < 2 || !rest.some((k) => numeric[k])) {
      throw new Error("This is no table of results: it takes columns task, method and value, or a row "
        + `per task with a column per method. There are ${names.slice(0, 12).map((n) => n || "(no name)").join(", ")}.`);
    }
    const labels = rows.map((row) => row[first]);
    const share = (some) => some.filter((x) => METHODS.test(x)).length / some.length;
    const byMethod = at.method !== undefined || (at.task === undefined && share(labels) > share(rest.map((k) => names[k])));
    const long = { task: [], method: [], value: [], fold: [], seed: [], family: [] };
    for (const k of rest) {
      for (const row of rows) {
        long.task.push(name(byMethod ? names[k] : row[first]));
        long.method.push(byMethod ? row[first] : names[k]);
        long.value.push(row[k]);
        for (const role of ["fold", "seed", "family"]) {
          const text = keep.includes(role) ? row[at[role]] : "";
          long[role].push(role === "family" ? text : name(text));
        }
      }
    }
    const direction = lowerIsBetter(names[first]);
    return { ...long, value: numbers(long.value, long.method, long.task), metrics: [],
      lower: direction === null ? null : long.task.map(() => direction),
      told: direction === null ? null : `\`${names[first]}\``,
      layout: `a ${byMethod ? "row" : "column"} per method`,
      out: [...[...why].sort((a, b) => a[0] - b[0]).map(([k, w]) =>
        (names[k] ? `column \`${names[k]}\` (${w})` : `a column without a name (${w})`)), ...out] };
  }

  function leftOut(rows, names, free) {
    const why = new Map();
    const value = new Map();
    const low = (x) => x.reduce((a, b) => Math.min(a, b), Infinity);
    const high = (x) => x.reduce((a, b) => Math.max(a, b), -Infinity);
    for (const k of free) {
      const words = names[k].replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase().split(/[^a-z]+/).filter(Boolean);
      if (!isNumeric(head(rows, k))) {
        why.set(k, rows.every((row) => row[k] === "") ? "empty" : "no numbers");
        continue;
      }
      const cells = rows.map((row) => (NUMBER.test(row[k]) ? Number(row[k]) : NaN));
      value.set(k, cells);
      const whole = cells.every((v) => Number.isNaN(v) || v % 1 === 0);
      if (INDEX.has(names[k].toLowerCase()) && whole) {
        why.set(k, [0, 1].some((start) => cells.every((v, n) => v === n + start)) ? "counts the rows" : "a count");
      } else if (SUMMARY.has(keyOf(names[k]))) why.set(k, "a summary");
      else if (whole && !cells.every(Number.isNaN) && words.length
        && (["n", "num", "number"].includes(words[0]) || COUNTS.has(words.at(-1)))) why.set(k, "a count");
    }
    for (const k of [...value.keys()].filter((c) => !why.has(c))) {
      const others = [...value].filter(([j]) => j !== k && !why.has(j)).flatMap(([, v]) => v).filter((v) => !Number.isNaN(v));
      const mine = value.get(k).filter((v) => !Number.isNaN(v)).sort((a, b) => a - b);
      if (!others.length || mine.length < 2 || !mine.every((v) => v % 1 === 0) || !others.some((v) => v % 1 !== 0)) continue;
      const [from, to] = [low(others), high(others)];
      const half = mine.length >> 1;
      const median = mine.length % 2 ? mine[half] : (mine[half - 1] + mine[half]) / 2;
      if (median < from - (to - from) || median > to + (to - from)) {
        why.set(k, mine[0] === mine.at(-1) ? "the same everywhere" : "a count");
      }
    }
    return why;
  }

  function bareOf(text) {
    const plain = text.replace(MARKUP, (_, inner) => inner ?? "").trim();
    const found = SPREAD.exec(plain);
    return found ? (found[1] ?? found[2]).trim() : plain;
  }

  function numbers(cells, method, task) {
    const usual = new Float64Array(cells.length);
    cells.forEach((text, r) => { usual[r] = NUMBER.test(text) ? Number(text) : text ? Infinity : NaN; });
    if (!usual.includes(Infinity)) return usual; // no sign, comma or word that would have to be told
    const bare = new Map();
    for (const text of cells) if (!bare.has(text)) bare.set(text, /^[\d.eE+-]+$/.test(text) ? text : bareOf(text));
    const there = [...bare].filter(([text]) => !MISSING.has(text.toLowerCase())).map(([, b]) => b);
    const unit = (b) => b.replace(/[% ]+$/, "");
    const decimal = there.some((b) => b.includes(",") && DECIMAL_COMMA.test(unit(b)) && !THOUSANDS.test(unit(b)))
      && !there.some((b) => b.includes("."));
    const percent = there.filter((b) => b.endsWith("%")).length;
    const mixed = percent > 0 && percent < there.length;
    const found = new Map();
    for (const [text, b] of bare) {
      if (MISSING.has(text.toLowerCase()) || MISSING.has(b.toLowerCase())) { found.set(text, NaN); continue; }
      let plain = b.replace(/%$/, "").trim();
      if (decimal) plain = plain.replaceAll(",", ".");
      else if (THOUSANDS.test(plain)) plain = plain.replaceAll(",", "");
      if (mixed || !NUMBER.test(plain) || !Number.isFinite(Number(plain))) {
        const k = cells.indexOf(text);
        const what = mixed ? "carries a percent sign or not, where others differ: write all alike"
          : /^[+-]?inf(inity)?$/i.test(plain) || NUMBER.test(plain) ? "is infinite: leave a missing result empty"
            : "is no number: leave a missing result empty";
        throw new Error(`'${text}' of ${method[k]} on ${task[k]} ${what}.`);
      }
      found.set(text, Number(plain));
    }
    return Float64Array.from(cells, (text) => found.get(text));
  }

  function yes(text, column) {
    const meant = { true: true, yes: true, 1: true, "1.0": true, false: false, no: false, 0: false,
      "0.0": false }[String(text).toLowerCase()];
    if (meant === undefined) throw new Error(`Column ${column} says yes or no (true or false, 1 or 0), not '${text}'.`);
    return meant;
  }

  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  // Return each name's place among the sorted names, and these.
  function factorize(names) {
    const seen = new Map();
    const found = new Int32Array(names.length);
    names.forEach((name_, r) => {
      let k = seen.get(name_);
      if (k === undefined) { k = seen.size; seen.set(name_, k); }
      found[r] = k;
    });
    const sorted = [...seen.keys()].sort(compare);
    const place = new Int32Array(sorted.length);
    sorted.forEach((name_, k) => { place[seen.get(name_)] = k; });
    return [found.map((k) => place[k]), sorted];
  }

  // Return checked cells: value[task][method], higher better, tasks by family.
  function layCells(table, lowerWins = null) {
    for (const role of ["task", "method"]) {
      const nameless = table[role].filter((x) => !x).length;
      if (nameless) throw new Error(`${nameless} rows have no ${role}.`);
    }
    const [[t, taskNames], [m, methods], [f, folds], [s, seeds]] = ["task", "method", "fold", "seed"].map((r) => factorize(table[r]));
    if (methods.length < 2) throw new Error(`There is one method only (${methods[0]}): an order needs two or more.`);
    const rows = t.length;
    const [M, T] = [methods.length, taskNames.length];
    const again = folds.length * seeds.length;
    const dense = T * M * again <= 4e7 ? new Int32Array(T * M * again).fill(-1) : new Map();
    const get = Array.isArray(dense) || dense instanceof Int32Array ? (k) => dense[k] : (k) => dense.get(k) ?? -1;
    const set = dense instanceof Int32Array ? (k, r) => { dense[k] = r; } : (k, r) => dense.set(k, r);
    const family = new Array(T).fill(null);
    const lower = new Array(T).fill(null);
    for (let r = 0; r < rows; r += 1) {
      check(family, t[r], table.family[r] || taskNames[t[r]], "families", taskNames);
      check(lower, t[r], lowerWins ?? table.lower?.[r] ?? false, "directions", taskNames);
      const key = ((t[r] * M + m[r]) * folds.length + f[r]) * seeds.length + s[r];
      if (get(key) >= 0) {
        throw new Error(`A result is given twice: ${methods[m[r]]} on ${taskNames[t[r]]}. Tell repeats apart by a column fold or seed.`);
      }
      set(key, r);
    }
    const sum = new Float64Array(T * M);
    const count = new Int32Array(T * M);
    const keys = dense instanceof Int32Array ? null : [...dense.keys()].sort((a, b) => a - b);
    const n = keys ? keys.length : dense.length;
    for (let k = 0; k < n; k += 1) {
      const key = keys ? keys[k] : k;
      const r = get(key);
      if (r < 0 || Number.isNaN(table.value[r])) continue;
      const cell = Math.floor(key / again);
      sum[cell] += table.value[r];
      count[cell] += 1;
    }
    const byFamily = taskNames.map((_, k) => k).sort((a, b) => compare(family[a], family[b]) || a - b);
    const value = byFamily.map((k) => methods.map((_, j) => {
      const cell = k * M + j;
      return count[cell] ? rounded((lower[k] ? -sum[cell] : sum[cell]) / count[cell]) : NaN;
    }));
    const empty = methods.filter((_, j) => value.every((row) => Number.isNaN(row[j])));
    if (empty.length) throw new Error(`${empty.length} of ${M} methods have no value at all, the first: ${empty[0]}. Leave them out.`);
    const families = [...new Set(family)].sort(compare);
    const place = new Map(families.map((x, k) => [x, k]));
    const { layout = null, out = [], metrics = [] } = table;
    return { methods, tasks: byFamily.map((k) => taskNames[k]), families, family: byFamily.map((k) => place.get(family[k])), value,
      missing: value.flat().filter(Number.isNaN).length,
      read: { layout, out, metrics: metrics.length, told: lowerWins === null ? table.told : "as you said",
        lower: byFamily.filter((k) => lower[k]).length } };
  }

  function check(known, k, found, what, names) {
    if (known[k] === null) known[k] = found;
    else if (known[k] !== found) throw new Error(`Task ${names[k]} has two ${what}: a task has one.`);
  }

  // Return cells; where nothing tells which direction is better, an error whose ask names the leaders.
  function cellsOf(table, lowerWins = null) {
    if (lowerWins !== null || table.lower) return layCells(table, lowerWins);
    const [higher, lower] = [false, true].map((way) => order(layCells(table, way), { draws: 1 }).ranks[0].method);
    const question = new Error("Is higher or lower better? No name in the table tells.");
    question.ask = { higher, lower };
    throw question;
  }

  function asDigits(value) {
    return Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
  }

  // Say what was read, the best method first.
  function whatWasRead(cells, place) {
    const { layout, told, out, metrics, lower } = cells.read;
    const T = cells.tasks.length;
    const better = lower === T ? "lower is better" : lower === 0 ? "higher is better"
      : `lower is better on ${lower}, higher on ${T - lower}`;
    const means = (k) => {
      const known = cells.value.map((row) => row[k]).filter((v) => !Number.isNaN(v));
      return (known.reduce((a, b) => a + b, 0) / known.length) * (lower ? -1 : 1);
    };
    const ends = [place[0], place.at(-1)].map((k) => cells.methods[k]
      + ((lower === 0 || lower === T) && metrics < 2 ? ` ${asDigits(means(k))}` : ""));
    return `${T} tasks × ${cells.methods.length} methods${layout ? `, ${layout}` : ""}; ${better}`
      + `${told ? ` (${told})` : ""}: ${ends[0]} … ${ends[1]}.${out?.length ? ` Left out: ${out.join(", ")}.` : ""}`;
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
    const [won, count] = [matrix(F, M), matrix(F, M)];
    const rows = value.map((row) => Float64Array.from(row));
    for (let k = 0; k < M; k += 1) {
      for (let f = 0; f < F; f += 1) { won[f].fill(0); count[f].fill(0); }
      rows.forEach((row, t) => {
        const own = row[k];
        if (Number.isNaN(own)) return;
        const [wins, times] = [won[family[t]], count[family[t]]];
        for (let j = 0; j < M; j += 1) {
          const other = row[j];
          if (!Number.isNaN(other)) {
            wins[j] += own === other ? 0.5 : own > other ? 1 : 0;
            times[j] += 1;
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
    return { level, parts, residual, squares: squaresOf(residual, M), shared, common, slack };
  }

  const matrix = (rows, columns) => Array.from({ length: rows }, () => new Float64Array(columns));

  function squaresOf(rows, M) {
    const squares = matrix(M, M);
    for (let i = 0; i < M; i += 1) {
      for (let j = i + 1; j < M; j += 1) {
        let sum = 0;
        for (const row of rows) { const gap = row[i] - row[j]; sum += gap * gap; }
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

  // Return each family's word, from which its words of all draws follow.
  function keysOf(start, F) {
    const keys = new Uint32Array(F);
    for (let f = 0; f < F; f += 1) keys[f] = mix((start + Math.imul(f, GOLDEN)) >>> 0);
    return keys;
  }

  function signs(draw, F, seed, keys = keysOf(mix(seed), F)) {
    const found = new Float64Array(F).fill(1);
    if (draw) for (let f = 0; f < F; f += 1) if (!(mix((keys[f] + Math.imul(draw, GOLDEN)) >>> 0) >>> 31)) found[f] = -1;
    return found;
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
    const keys = keysOf(mix(seed), F);
    for (let b = 0; b < found.length; b += 1) {
      const sign = every ? allSigns(b, F) : signs(b, F, seed, keys);
      const flipped = new Float64Array(M);
      for (let f = 0; f < F; f += 1) add(flipped, parts[f], sign[f]);
      let best = 0;
      for (let i = 0; i < M - 1; i += 1) best = farthest(flipped, i, weight[i], shared[i], best);
      found[b] = best;
    }
    return found.sort();
  }

  // Small functions of their own: what runs often is compiled sooner.
  function add(sums, row, times) {
    for (let j = 0; j < row.length; j += 1) sums[j] += times * row[j];
  }

  function farthest(flipped, i, weight, shared, most) {
    let best = most;
    for (let j = i + 1; j < flipped.length; j += 1) {
      const far = flipped[j] - flipped[i];
      const h = Math.min(far * far * weight[j], 1 - 1e-15);
      const t = (h / (1 - h)) * (shared[j] - 1);
      if (t > best) best = t;
    }
    return best;
  }

  // Return how often each family is in a resample, as [family, times].
  function resample(draw, F, keys) {
    const times = new Map();
    for (let f = 0; f < F; f += 1) {
      const place = Math.floor((mix((keys[f] + Math.imul(draw, GOLDEN)) >>> 0) * F) / 2 ** 32);
      times.set(place, (times.get(place) ?? 0) + 1);
    }
    return times;
  }

  function resampled(residual, shared, draws, seed, progress) {
    const M = residual[0].length;
    const B = Math.min(residual.length, BLOCKS);
    const parts = matrix(B, M);
    residual.forEach((row, f) => { for (let j = 0; j < M; j += 1) parts[f % B][j] += row[j]; });
    const P = (M * (M - 1)) / 2;
    const apart = matrix(B, P);
    const own = new Float64Array(P);
    const scale = new Float64Array(P);
    for (let i = 0, p = 0; i < M; i += 1) {
      for (let j = i + 1; j < M; j += 1, p += 1) {
        for (let b = 0; b < B; b += 1) {
          const gap = parts[b][j] - parts[b][i];
          apart[b][p] = gap * gap;
          own[p] += gap * gap;
        }
        scale[p] = shared[i][j] > 1 && own[p] > 1e-24 ? 1 - 1 / shared[i][j] : 0;
      }
    }
    const keys = keysOf(mix((seed ^ RESAMPLING) >>> 0), B);
    const found = new Float64Array(draws);
    const sums = new Float64Array(M);
    const spread = new Float64Array(P);
    for (let d = 0; d < draws; d += 1) {
      sums.fill(0);
      spread.fill(0);
      for (const [b, times] of resample(d, B, keys)) {
        const [part, gap] = [parts[b], apart[b]];
        for (let j = 0; j < M; j += 1) sums[j] += times * part[j];
        for (let p = 0; p < P; p += 1) spread[p] += times * gap[p];
      }
      let best = 0;
      for (let i = 0, p = 0; i < M; i += 1) {
        for (let j = i + 1; j < M; j += 1, p += 1) {
          const gap = sums[j] - sums[i];
          const far = gap * gap;
          const t = (far * scale[p]) / ((1 - OWN_SPREAD) * Math.max(spread[p] - far / B, 0) + OWN_SPREAD * own[p]);
          if (t > best) best = t;
        }
      }
      found[d] = best;
      if (progress && d % 100 === 0) progress(d / draws);
    }
    return found.sort();
  }

  function skewnessOf(residual, squares) {
    const [F, M] = [residual.length, residual[0].length];
    const found = [];
    for (let i = 0; i < M; i += 1) {
      for (let j = i + 1; j < M; j += 1) {
        if (!(squares[i][j] > 0)) continue;
        let cubes = 0;
        for (const row of residual) { const gap = row[i] - row[j]; cubes += gap * gap * gap; }
        found.push(Math.abs(cubes / F / (squares[i][j] / F) ** 1.5));
      }
    }
    found.sort((a, b) => a - b);
    const half = found.length >> 1;
    return !found.length ? NaN : found.length % 2 ? found[half] : (found[half - 1] + found[half]) / 2;
  }

  // Which one or two families, left out, let a method be first that now may not be.
  function hangsOn(cells, found, critical, ahead, statistic) {
    const rows = [];
    const twoLargest = (g) => {
      let [first, second] = [-1, -1];
      for (let f = 0; f < g.length; f += 1) {
        if (first < 0 || g[f] > g[first]) { second = first; first = f; } else if (second < 0 || g[f] > g[second]) second = f;
      }
      return [first, second];
    };
    cells.methods.forEach((method, k) => {
      const better = cells.methods.map((_, i) => i).filter((i) => ahead(i, k))
        .sort((a, b) => statistic(b, k) - statistic(a, k) || a - b); // the surest first: most are done there
      if (!better.length) return;
      const gap = better.map((i) => Float64Array.from(found.parts, (row) => row[k] - row[i]));
      const top = gap.map(twoLargest);
      const tries = better.length === 1 ? [top[0].slice(0, 1), top[0].slice(0, 2)] : top.map((order_) => order_.slice(0, 1));
      for (const out of tries) {
        const still = gap.some((g, b) => {
          let [sum, squares] = [0, 0];
          for (let f = 0; f < g.length; f += 1) {
            if (f !== out[0] && f !== out[1]) { sum += g[f]; squares += g[f] * g[f]; }
          }
          const left = g.length - out.length;
          const n = Math.max(found.shared[k][better[b]] - out.length, 2);
          const spread = squares - (sum * sum) / left;
          return (spread > 1e-24 ? (sum * sum * (1 - 1 / n)) / spread : Infinity) > critical;
        });
        if (!still) { rows.push([out.length, out.map((f) => cells.families[f]).sort(compare).join(" and "), method]); break; }
      }
    });
    return rows.sort((a, b) => a[0] - b[0] || compare(a[1], b[1]) || compare(a[2], b[2])).map(([, tasks, method]) => ({ tasks, method }));
  }

  // --- the order ---------------------------------------------------------------------------
  function order(cells, { draws = 2000, seed = 0, level = 0.95, progress = null } = {}) {
    const found = estimate(cells);
    const M = cells.methods.length;
    const alpha = 1 - level;
    const least = 1 + Math.ceil(Math.log2(1 / alpha) - 1e-9);
    const counted = found.shared.map((row, i) => row.map((n, j) => (found.common[i][j] >= least ? n : 0)));
    const chance = [largest(found.parts, counted, draws, seed), resampled(found.residual, counted, (M * (M - 1)) / 2 > PAIRS ? Math.min(draws, RESAMPLES_OF_MANY) : draws, seed, progress)];
    const critical = Math.max(...chance.map((maxima) =>
      maxima[maxima.length - 1 - Math.floor(alpha * maxima.length + 1e-9)])) * (1 + ROUNDING);
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
      const p = Math.max(2 ** (1 - n), ...chance.map((maxima) =>
        Math.max(maxima.length - firstAtLeast(maxima, statistic(i, j) * (1 - ROUNDING)), 1) / maxima.length));
      const reach = enough ? Math.sqrt(critical) * error + found.slack[i][j] : Infinity;
      const spread = error * Math.sqrt(n) * (Math.sqrt(critical) + POWER);
      const needed = (size) => (size > 0 ? Math.max(Math.ceil((spread / size) ** 2), least) : Infinity);
      return { one: cells.methods[i], other: cells.methods[j], effect: gap,
        low: Math.max(gap - reach, 1 - M), high: Math.min(gap + reach, M - 1),
        p_adjusted: enough ? Math.min(p, 1) : 1, tasks_needed: needed(gap),
        needed_from: needed(gap + INNER * error), needed_to: needed(gap - INNER * error) };
    }
    const hangs = hangsOn(cells, found, critical, (i, j) => differ(i, j) && effect(i, j) > 0, statistic);
    const said = notes(cells, found, least);
    if (hangs.length && ranks.filter((row) => row.may_be_first).length === 1) {
      const some = hangs.filter((row) => row.tasks === hangs[0].tasks).map((row) => row.method);
      const names = [...some.slice(0, 3), ...(some.length > 3 ? [`${some.length - 3} more`] : [])];
      said.push(`Without ${hangs[0].tasks}, ${names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]} may be first: `
        + "what hangs on one or two tasks is as sure as these tasks, and no interval mends that.");
    }
    return { ranks, pairs, critical: Math.sqrt(critical), n_tasks: cells.tasks.length,
      flips_level: (chance[0].length - firstAtLeast(chance[0], critical / (1 + ROUNDING))) / chance[0].length,
      skewness: skewnessOf(found.residual, found.squares), hangs_on: hangs,
      n_families: cells.families.length, missing: cells.missing, notes: said,
      read: cells.read ? whatWasRead(cells, place) : "" };
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

  return { decode, readTable, layCells, cellsOf, order, signs, lowerIsBetter };
}
window.orderEngine = makeOrderEngine();
