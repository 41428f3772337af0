import { visible } from '../../../base/visible.ts';
import { make } from './dom.ts';

/** A table of texts that may come from strangers; what does not fit is scrolled. */
export const tableOf = (
  name: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): HTMLElement =>
  make(
    'div',
    { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': name },
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
