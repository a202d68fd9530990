// Let a reader sort a long table: click a column's head, or press Enter on it.
document.querySelectorAll("table.sortable").forEach((table) => {
  const body = table.tBodies[0];
  const heads = table.tHead.rows[table.tHead.rows.length - 1].cells;
  const value = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.textContent.trim();
    const number = Number(text.replace("%", "").replace(/,/g, "").replace("−", "-"));
    return text !== "" && !Number.isNaN(number) ? number : text;
  };
  const compare = (a, b) => {
    if (typeof a === typeof b) {
      return typeof a === "number" ? a - b : a.localeCompare(b);
    }
    return typeof a === "number" ? -1 : 1; // numbers before words
  };
  Array.from(heads).forEach((head, column) => {
    const sort = () => {
      const ascending = head.getAttribute("aria-sort") !== "ascending";
      Array.from(heads).forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      const rows = Array.from(body.rows);
      rows.sort((a, b) => compare(value(a, column), value(b, column)) * (ascending ? 1 : -1));
      body.append(...rows);
    };
    head.tabIndex = 0;
    head.title = "Sort by this column";
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        sort();
      }
    });
  });
});
