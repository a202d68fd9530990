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
