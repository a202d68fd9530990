// What is shown is in the address: a link shows the same, and the back button goes back.

export const DEFAULTS = {
  database: "lcdb10", dataset: "", learners: [], metric: "error_rate", split: "valid",
  scaling: "none", leakage: "", x: "log", y: "", repeats: false, procedure: "corrected",
  model: "", cut: 0,
};

const LISTS = new Set(["learners"]);
const AXES = { x: ["log", "linear"], y: ["log", "linear", ""] };

function encode(panel) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(panel)) {
    if (String(value) === String(DEFAULTS[name])) continue;
    parts.set(name, LISTS.has(name) ? value.join("~") : String(value));
  }
  return parts.toString();
}

function decode(text) {
  const panel = { ...DEFAULTS };
  // What is not taken is said; it is no part of the state, which is written and copied.
  const ignored = Object.defineProperty(panel, "ignored", { value: [] }).ignored;
  for (const [name, value] of new URLSearchParams(text)) {
    if (!Object.hasOwn(DEFAULTS, name) || (Object.hasOwn(AXES, name) && !AXES[name].includes(value))) {
      if (name !== "-") ignored.push(`${name}=${value}`);
    } else if (LISTS.has(name)) panel[name] = value ? value.split("~") : [];
    else if (typeof DEFAULTS[name] === "boolean") panel[name] = value === "true";
    else if (typeof DEFAULTS[name] === "number") panel[name] = Number(value) || 0;
    else panel[name] = value;
  }
  return panel;
}

// The panels of the address; one of defaults where it has none.
export function readPanels() {
  const texts = window.location.hash.slice(1).split("|").filter(Boolean);
  return texts.length ? texts.slice(0, 2).map((text) => decode(text)) : [{ ...DEFAULTS }];
}

// Write the panels to the address: as a new step back, or in place while something is dragged.
export function writePanels(panels, inPlace) {
  const address = `#${panels.map((panel) => encode(panel) || "-=").join("|")}`;
  if (address === window.location.hash) return;
  window.history[inPlace ? "replaceState" : "pushState"](null, "", address);
}
