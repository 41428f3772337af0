import { visible } from '../base/visible.ts';
import { type Html, html } from './html.ts';

/** What stands in a table. */
export type Cell = Html | string | number;

/** A table, which is scrolled where it is wider than the page. */
export const table = (heads: readonly string[], rows: readonly (readonly Cell[])[]): Html =>
  html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${typeof cell === 'string' ? visible(cell) : cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
