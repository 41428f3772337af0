import { words } from './format.ts';
import type { Row, Run } from './run.ts';

const kinds = new Map([
  ['agentTurn', 'Turn'],
  ['modelCall', 'Model'],
  ['toolCall', 'Tool'],
  ['hookEvent', 'Event'],
  ['answerStream', 'Text'],
  ['hookProcess', 'Hook'],
]);

export const kindOf = (run: Run): string =>
  isSessionRun(run) ? 'Session' : (kinds.get(run.machine) ?? run.machine);

const isSessionRun = (run: Run): boolean => run.row === run && run.row.kind === 'session';

/** Its class in the page's styles, which has none for what a recording may call a machine besides. */
export const classOf = (run: Run): string =>
  isSessionRun(run) ? 'session' : kinds.has(run.machine) ? run.machine : '';

/** What a run is called. */
export function nameOf(run: Run): string {
  if (isSessionRun(run)) return shortId(run.name) || 'unnamed';
  if (run.row === run && run.row.kind === 'turn') return String(run.row.number);
  return run.name || '(unnamed)';
}

/** Random ids are distinguished by their beginning. */
const shortId = (name: string): string =>
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-/.test(name) ? name.slice(0, 8) : name;

/** What a screen reader says of a row. */
export const labelOf = (row: Row, status: string, subject: string): string =>
  [
    kindOf(row),
    nameOf(row),
    row.kind === 'session' ? undefined : words(status),
    ...row.decisions,
    subject,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(', ');
