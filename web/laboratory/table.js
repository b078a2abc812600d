/** Sortable tables: a click on the name of a column sorts by it, a second one turns it around. */

import { el } from "../parts/dom.js";

/**
 * @typedef {object} Column
 * @property {string} name
 * @property {(row: object) => (number|string|null)} [value] what the column is sorted by
 * @property {(row: object) => (string|Node)} [show] what a cell shows; otherwise the value
 * @property {boolean} [text] the column has words: it is aligned to the left
 * @property {string} [help] a longer name
 */

/**
 * Makes a table that can be sorted.
 *
 * @param {object} options
 * @param {string} options.caption what the table is, also for screen readers
 * @param {Column[]} options.columns
 * @param {object[]} options.rows
 * @param {{column: number, down: boolean}} [options.order] the first order; it is changed by clicks
 */
export function createTable({ caption, columns, rows, order = {} }) {
  const head = el("tr");
  const body = el("tbody");
  const table = el("table", { class: "lab-table" },
    el("caption", { class: "visually-hidden" }, caption), el("thead", {}, head), body);
  const headings = columns.map((column, place) => {
    const name = column.value
      ? el("button", { type: "button", class: "lab-sort", title: column.help, onclick: () => sort(place) }, column.name)
      : el("span", { class: "lab-unsorted" }, column.name);
    const heading = el("th", { scope: "col", class: isText(column, place) ? "lab-text" : null }, name);
    head.append(heading);
    return heading;
  });

  function sort(place) {
    order.down = order.column === place ? !order.down : !columns[place].text;
    order.column = place;
    fill();
  }

  function fill() {
    headings.forEach((heading, place) => {
      if (place === order.column) heading.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
    body.replaceChildren(...sorted().map(toRow));
  }

  function sorted() {
    if (order.column === undefined || !columns[order.column]) return rows;
    const { value } = columns[order.column];
    const factor = order.down ? -1 : 1;
    const known = (row) => value(row) !== null && value(row) !== undefined;
    return [...rows].sort((a, b) => known(b) - known(a) || (known(a) ? factor * compare(value(a), value(b)) : 0));
  }

  function toRow(row) {
    const cells = columns.map((column, place) => {
      const shown = column.show ? column.show(row) : column.value(row);
      const tag = place === 0 ? "th" : "td";
      const scope = place === 0 ? "row" : null;
      return el(tag, { scope, class: isText(column, place) ? "lab-text" : null }, shown ?? "");
    });
    return el("tr", {}, cells);
  }

  fill();
  return el("div", { class: "lab-scroll", tabindex: "0", role: "region", "aria-label": caption }, table);
}

/** The first column names the rows, so it is aligned like words. */
function isText(column, place) {
  return column.text || place === 0;
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}
