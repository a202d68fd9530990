// The recommended forecast: computed when the book was built, at a few cuts; read when asked for.

export const FORECAST = "forecast"; // beside the names of the curve models
export const TITLE = "recommended forecast";

// Return the forecasts from the largest cut that is not beyond the reader's; null if there is none.
export function fromCut(forecasts, cut) {
  return forecasts.cuts.filter((one) => one.cut <= cut).pop() ?? null;
}

// Return a curve's forecast as {from, to, at}: at(n) gives the quantiles, straight between sizes
// on a logarithmic axis. Null where the learner has none.
export function forecastOf({ cut, sizes, learners }, learner, level) {
  if (!learners[learner]) return null;
  const points = [[cut, [level, level, level]], ...sizes.map((n, k) => [n, learners[learner][k]])];
  const at = (n) => {
    const next = points.findIndex(([size], k) => k > 0 && size >= n);
    const after = next < 0 ? points.length - 1 : next;
    const [[a, low], [b, high]] = [points[after - 1], points[after]];
    const way = Math.log(n / a) / Math.log(b / a);
    return low.map((value, k) => value + way * (high[k] - value));
  };
  return { from: cut, to: sizes[sizes.length - 1], at };
}
