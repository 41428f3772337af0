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

/** A run's class in the page's styles. A recording may name other machines; they have none. */
export const classOf = (run: Run): string =>
  isSessionRun(run) ? 'session' : kinds.has(run.machine) ? run.machine : '';

/** The name of a run, as shown. */
export function nameOf(run: Run): string {
  if (isSessionRun(run)) return shortId(run.name) || 'unnamed';
  if (run.row === run && run.row.kind === 'turn') return String(run.row.number);
  return run.name || '(unnamed)';
}

/** Of a random id, the beginning is enough to distinguish it. */
const shortId = (name: string): string =>
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-/.test(name) ? name.slice(0, 8) : name;

/** A row's label for screen readers. */
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
