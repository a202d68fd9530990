// Show a term's meaning while it is pointed at or has the focus; Escape closes it.
document.addEventListener("DOMContentLoaded", () => {
  const tip = Object.assign(document.createElement("div"), { id: "term-meaning", hidden: true });
  tip.setAttribute("role", "tooltip");
  document.body.append(tip);
  const hide = () => { tip.hidden = true; };
  const show = (link) => {
    const meaning = (window.glossaryMeanings ?? {})[link.hash.slice(1)];
    if (!meaning) return;
    tip.textContent = meaning;
    tip.hidden = false;
    const at = link.getBoundingClientRect();
    const left = Math.min(at.left, window.innerWidth - tip.offsetWidth - 8);
    const below = at.bottom + tip.offsetHeight + 8 < window.innerHeight;
    tip.style.left = `${Math.max(8, left) + window.scrollX}px`;
    tip.style.top = `${(below ? at.bottom + 6 : at.top - tip.offsetHeight - 6) + window.scrollY}px`;
  };
  for (const link of document.querySelectorAll("a.glossary-term")) {
    link.setAttribute("aria-describedby", tip.id);
    link.addEventListener("mouseenter", () => show(link));
    link.addEventListener("focus", () => show(link));
    link.addEventListener("mouseleave", hide);
    link.addEventListener("blur", hide);
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
});
