// One switch for all code of a page; the browser remembers it for the other pages. Parts that are
// folded open for who follows a link into them, and on paper.
document.addEventListener("DOMContentLoaded", () => {
  const code = document.querySelectorAll(".bd-article details.hide");
  const title = document.querySelector(".bd-article h1");
  let show = () => {};
  if (code.length && title) {
    const button = Object.assign(document.createElement("button"), { id: "code-switch", type: "button" });
    const set = (shown) => {
      document.documentElement.classList.toggle("code-shown", shown);
      code.forEach((one) => { one.open = shown; });
      button.textContent = shown ? "Hide the code" : "Show the code";
      button.setAttribute("aria-pressed", String(shown));
    };
    set(window.localStorage.getItem("code") === "shown");
    show = set;
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      window.localStorage.setItem("code", shown ? "shown" : "folded");
      set(shown);
    });
    const bar = document.querySelector(".article-header-buttons");
    if (bar) bar.prepend(button); else title.after(button);
  }
  const follow = () => {
    const target = document.querySelector(":target"); // also where the address is no valid code
    if (!target) return;
    if (target.closest("details.hide")) show(true); // the cell of a figure
    const inside = target.querySelector(":scope > details.fold"); // a folded section itself
    for (let part = inside || target; part; part = part.parentElement) if (part.matches("details")) part.open = true;
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", follow);
  follow();
});
window.addEventListener("beforeprint", () => document.querySelectorAll("details.fold").forEach((part) => { part.open = true; }));
// Where a figure is moved sideways, the names of its rows stay: its left part lies over it, and is not moved.
function keepNames(frame) {
  frame.querySelector(".drawn-names")?.remove();
  const svg = frame.querySelector("svg.drawn");
  if (!svg || frame.scrollWidth <= frame.clientWidth + 1) return;
  const at = (text, axis) => Number(text.getAttribute(axis));
  const words = [...svg.querySelectorAll("text")].filter((text) => text.style.textAnchor === "end"
    && !/^[−\d.,]+$/.test(text.textContent.trim()));
  const left = Math.min(...words.map((text) => at(text, "x")));
  const rows = words.filter((text) => at(text, "x") - left < 1);
  if (rows.length < 3) return;
  const { width, height } = svg.viewBox.baseVal;
  const scale = svg.getBoundingClientRect().width / width;
  const names = document.createElementNS(svg.namespaceURI, "svg");
  names.setAttribute("class", "drawn drawn-names");
  names.setAttribute("aria-hidden", "true");
  names.setAttribute("viewBox", `0 0 ${left + 3} ${height}`);
  names.style.cssText = `width: ${(left + 3) * scale}px; height: ${height * scale}px; margin-bottom: ${-height * scale}px`;
  // Neither title nor legend is covered, but the names of panels and of the axis are, and the ticks.
  const texts = [...svg.querySelectorAll("text")];
  const top = Math.max(0, ...texts.filter((text) => Number(text.style.fontWeight) > 500).map((text) => at(text, "y") + 5));
  const last = Math.max(...texts.filter((text) => text.style.textAnchor !== "start").map((text) => at(text, "y"))) + 5;
  const ground = document.createElementNS(svg.namespaceURI, "rect");
  for (const [name, value] of Object.entries({ y: top, width: left + 3, height: last - top })) ground.setAttribute(name, value);
  names.append(ground, ...rows.map((text) => text.cloneNode(true)));
  frame.prepend(names);
}
const keepAllNames = () => document.querySelectorAll(".drawn-frame").forEach(keepNames);
document.addEventListener("DOMContentLoaded", keepAllNames);
window.addEventListener("resize", keepAllNames);
