import type { CallAccount } from '../../journal/account.ts';
import { CostCounter, costInWords, type HookStats, hookStats } from '../../journal/hook-stats.ts';
import { accountAt } from './account-at.ts';
import { byId, make, theOne } from './dom.ts';
import { duration } from './format.ts';
import type { View } from './view.ts';

/** How many calls are processed before the browser gets its turn. */
const atOnce = 500;

/** Sets up the dialog with what each hook did and cost. The figures are computed when it is opened. */
export function setUpFigures(view: View): void {
  const dialog = theOne('dialog', 'figures-dialog');
  const body = byId('figures');
  const status = byId('figures-status');
  const count = async (): Promise<void> => {
    const counter = new CostCounter();
    const stats = await hookStats(counter.passing(accountsOf(view)));
    status.textContent = stats.length === 0 ? 'No hook has run.' : costInWords(counter.cost);
    body.replaceChildren(...stats.map(rowOf));
  };
  byId('figures-open').addEventListener('click', () => {
    status.textContent = 'Counting…';
    body.replaceChildren();
    dialog.showModal();
    void count();
  });
  body.addEventListener('click', ({ target }) => {
    const name = (target as Element).closest('button')?.dataset['hook'];
    if (name === undefined) return;
    dialog.close();
    view.search(name);
  });
}

/** Yields the accounts of calls only: what ran in turns is contained in those of their calls and events. */
async function* accountsOf({ runs, about }: View): AsyncGenerator<CallAccount> {
  const rows = runs.rows.filter(({ kind }) => kind === 'call');
  for (const [index, row] of rows.entries()) {
    if (index % atOnce === atOnce - 1) await new Promise((resolve) => void setTimeout(resolve));
    yield accountAt(row, Infinity, about.payloads);
  }
}

function rowOf({ name, event, runs, denials, failures, p50, p95, addedMs }: HookStats): Node {
  const numbers = [runs, denials, failures].map((count) => count.toLocaleString('en'));
  return make(
    'tr',
    {},
    make(
      'th',
      { scope: 'row' },
      make('button', { type: 'button', class: 'link', data: { hook: name } }, name),
      make('small', {}, event),
    ),
    ...[...numbers, ...[p50, p95, addedMs].map(duration)].map((text, index) =>
      make(
        'td',
        {
          class:
            index === 1 && denials > 0 ? 'deny' : index === 2 && failures > 0 ? 'fail' : undefined,
        },
        text,
      ),
    ),
  );
}
