// A game of ten curves: which are drawn, how far each answer was off, and the address that keeps it.

export const ROUNDS = 10;
const MOST_OFF = 100; // points

export const isSeed = (seed) => Number.isInteger(seed) && seed > 0 && seed <= 1e6;

// Return a generator of numbers from 0 to 1 (mulberry32): the same of the same seed.
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Return how far the reader, the forecast and 'nothing changes' were off at the end, in points.
export function misses({ truth, own, forecast, stays }) {
  return [own, forecast, stays].map((value) => Math.round(1000 * Math.abs(value - truth)) / 10);
}

// Return the game of an address: its seed, and what was off in the rounds played. Null if it has none.
export function readGame(hash) {
  const found = /^#guess=(\d{1,7})(?::([\d.,-]{0,300}))?$/.exec(hash);
  if (!found || !isSeed(Number(found[1]))) return null;
  const scores = (found[2] ?? "").split(",").filter(Boolean).map((text) => text.split("-").map(Number));
  const sound = scores.length <= ROUNDS && scores.every(
    (off) => off.length === 3 && off.every((points) => points >= 0 && points <= MOST_OFF));
  return sound ? { seed: Number(found[1]), scores } : null;
}

export function writeGame({ seed, scores }) {
  return `#guess=${seed}:${scores.map((off) => off.map((points) => points.toFixed(1)).join("-")).join(",")}`;
}

// Return what the rounds say, in a sentence.
export function summary(scores) {
  const mean = (k) => (scores.reduce((sum, off) => sum + off[k], 0) / scores.length).toFixed(1);
  const curves = scores.length === 1 ? "One curve" : `${scores.length} curves`;
  const nearer = scores.filter(([own, forecast]) => own < forecast).length;
  return `${curves} so far: you were off by ${mean(0)} points on average, the forecast by ${mean(1)}, nothing changes by ${mean(2)}; `
    + `you were nearer than the forecast on ${nearer} of them.`;
}
