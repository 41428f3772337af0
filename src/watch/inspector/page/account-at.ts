import { Accounting, type CallAccount } from '../../journal/account.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import { movesAt } from './moment.ts';
import type { Row } from './run.ts';

/** The journal's own account of a row as it was at a given moment, at which the row had begun. */
export function accountAt(row: Row, moment: number, payloads: boolean): CallAccount {
  const accounting = new Accounting(payloads);
  let account: CallAccount | undefined;
  for (const entry of entriesOf(row)) {
    if (account && entry.at > moment) continue;
    accounting.take(entry);
    [account] = account ? [account] : accounting.open;
  }
  // The current state is needed only if the row has not ended.
  for (const move of movesAt(row, moment)) accounting.take(move);
  return account!;
}

/** Events of a turn have rows of their own, and belong to the turn's account. */
function entriesOf(row: Row): readonly JournalEntry[] {
  if (row.kind !== 'turn') return row.entries;
  const [started, ...others] = row.entries;
  const events = row.children.filter(({ machine }) => machine === 'hookEvent');
  return [started!, ...events.flatMap((event) => event.row.entries), ...others];
}
