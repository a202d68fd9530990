// One switch for all code of a page that is folded; the browser remembers it for the other pages.
document.addEventListener("DOMContentLoaded", () => {
  const folded = document.querySelectorAll(".bd-article details.hide");
  const title = document.querySelector(".bd-article h1");
  if (folded.length < 2 || !title) return; // one has its own switch
  const button = Object.assign(document.createElement("button"), { id: "code-switch", type: "button" });
  const set = (open) => {
    folded.forEach((one) => { one.open = open; });
    button.textContent = open ? "Hide the code" : "Show the code";
    button.setAttribute("aria-pressed", String(open));
  };
  set(window.localStorage.getItem("code") === "shown");
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-pressed") !== "true";
    window.localStorage.setItem("code", open ? "shown" : "folded");
    set(open);
  });
  title.after(button);
});
