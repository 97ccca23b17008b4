// Sorts a table by a column: numbers by their size, whatever their unit, words by the alphabet. Cells without either stay last.
const units = { "µs": 1e-6, ms: 1e-3, s: 1, h: 3600, B: 1, kB: 1e3, MB: 1e6, GB: 1e9 };

function number(text) {
  const found = text.replace(/,/g, "").match(/^[~≈<>]?\s*([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(.*)/i);
  if (!found) return null;
  const unit = found[2].match(/^\s*(µs|ms|s|h|B|kB|MB|GB)\b/);
  return parseFloat(found[1]) * (unit ? units[unit[1]] : 1);
}

function compare(left, right, words, sign) {
  if (words) return sign * left.localeCompare(right, "en", { numeric: true });
  const [x, y] = [number(left), number(right)];
  if (x === null || y === null) return (x === null) - (y === null);
  return sign * (x - y);
}

function sort(heading) {
  const table = heading.closest("table"), body = table.tBodies[0], column = heading.cellIndex;
  const ascending = heading.getAttribute("aria-sort") !== "ascending";
  const words = heading.classList.contains("words");
  const text = row => row.cells[column].textContent.trim();
  for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  body.append(...[...body.rows].sort((a, b) => compare(text(a), text(b), words, ascending ? 1 : -1)));
}

for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => sort(button.closest("th")));
}
