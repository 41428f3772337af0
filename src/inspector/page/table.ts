import { visible } from '../../visible.ts';
import { make } from './dom.ts';

/** A table of texts that may come from strangers. */
export const tableOf = (
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): HTMLElement =>
  make(
    'div',
    { class: 'scroll' },
    make(
      'table',
      { class: 'effects' },
      make('thead', {}, make('tr', {}, ...heads.map((head) => make('th', { scope: 'col' }, head)))),
      make(
        'tbody',
        {},
        ...rows.map((cells) =>
          make('tr', {}, ...cells.map((cell) => make('td', {}, visible(cell)))),
        ),
      ),
    ),
  );
