// Pick a curve worth a look: the larger what it shows, the likelier.

// An entry is [dataset, learners, scaling, size]; what was shown last is not shown again.
export function pick(entries, last) {
  const others = entries.filter((one) => one !== last);
  const among = others.length ? others : entries;
  let left = Math.random() * among.reduce((sum, [, , , size]) => sum + size, 0);
  return among.find(([, , , size]) => (left -= size) < 0) ?? among[among.length - 1];
}
