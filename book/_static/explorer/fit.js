// Fit a curve model to points by least squares. A model is linear in its level and its scale:
// for given shape parameters these two are a 2 by 2 solve, so that only the shape is searched.

// Shape parameters are searched as logarithms: positive, and steps are ratios.
const MODELS = {
  POW3: { start: logs([0.1, 0.5, 1, 2]), shape: (n, [c]) => n ** -c },
  POW4: { start: logs([0.2, 0.5, 1, 2], [1, 10, 100]), shape: (n, [c, d]) => (n + d) ** -c },
  EXP3: { start: logs([1e-4, 1e-3, 1e-2]), shape: (n, [c]) => Math.exp(-c * n) },
  MMF4: { start: logs([5, 50, 500, 5000], [0.5, 1, 2]),
    shape: (n, [b, d]) => 1 / (1 + (n / b) ** d) },
  WBL4: { start: logs([1, 10, 100, 1000], [0.1, 0.3, 1]),
    signs: [1, -1], shape: (n, [b, d], sign) => Math.exp(-((n / b) ** (sign * d))) },
};

function logs(first, second) {
  const rows = second ? first.flatMap((a) => second.map((b) => [a, b])) : first.map((a) => [a]);
  return rows.map((row) => row.map(Math.log));
}

export const modelNames = Object.keys(MODELS);

// Return {predict, mse}: the curve, and the mean squared error on the points; null with too few.
export function fit(name, points) {
  const model = MODELS[name];
  if (points.length < model.start[0].length + 2) return null;
  const tries = (model.signs ?? [1]).flatMap((sign) => model.start.map((start) => ({ sign,
    ...nelderMead((at) => solve(model, at, sign, points).mse, start) })));
  const { sign, at } = tries.reduce((a, b) => (b.value < a.value ? b : a));
  const { level, scale, mse } = solve(model, at, sign, points);
  return { mse, predict: (n) => level + scale * model.shape(n, at.map(Math.exp), sign) };
}

function solve(model, parameters, sign, points) {
  let [ss, s1, sy, y1] = [0, 0, 0, 0];
  const natural = parameters.map(Math.exp);
  const shape = points.map(({ anchor }) => model.shape(anchor, natural, sign));
  const top = Math.max(...shape.map(Math.abs));
  if (!(top > 1e-200)) return { mse: Infinity }; // nothing is left of the shape
  const scaled = shape.map((value) => value / top);
  points.forEach(({ middle }, k) => {
    ss += scaled[k] ** 2; s1 += scaled[k]; sy += scaled[k] * middle; y1 += middle;
  });
  const n = points.length;
  const det = n * ss - s1 * s1;
  const scale = det > 1e-12 * n * ss ? (n * sy - s1 * y1) / det : 0;
  const level = (y1 - scale * s1) / n;
  const mse = points.reduce((sum, { middle }, k) =>
    sum + (middle - level - scale * scaled[k]) ** 2, 0) / n;
  return { level, scale: scale / top, mse: Number.isFinite(mse) ? mse : Infinity };
}

function nelderMead(cost, start, steps = 300) {
  const at = (point) => ({ at: point, value: cost(point) });
  let simplex = [at(start), ...start.map((_, k) =>
    at(start.map((value, j) => (j === k ? value + 0.7 : value))))];
  for (let step = 0; step < steps; step += 1) {
    simplex.sort((a, b) => a.value - b.value);
    const worst = simplex[simplex.length - 1];
    const rest = simplex.slice(0, -1);
    const centre = start.map((_, j) => rest.reduce((sum, p) => sum + p.at[j], 0) / rest.length);
    const move = (by) => at(centre.map((c, j) => c + by * (worst.at[j] - c)));
    let next = move(-1);
    if (next.value < simplex[0].value) { const far = move(-2); if (far.value < next.value) next = far; }
    if (next.value >= rest[rest.length - 1].value) next = move(next.value < worst.value ? -0.5 : 0.5);
    if (next.value < worst.value) simplex[simplex.length - 1] = next;
    else {
      const best = simplex[0].at;
      simplex = simplex.map((p, k) =>
        (k ? at(p.at.map((value, j) => (value + best[j]) / 2)) : p));
    }
  }
  return simplex.reduce((a, b) => (b.value < a.value ? b : a));
}
