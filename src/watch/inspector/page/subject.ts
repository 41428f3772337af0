import { messageText } from '../../journal/payload-lines.ts';
import { storyOf } from '../../journal/story.ts';
import { isRecord } from '../../../base/json.ts';
import { accountAt } from './account-at.ts';
import { asText } from './format.ts';
import type { Row } from './run.ts';

/** The longest text that fits into a row, in characters. */
const longest = 240;

/** The arguments that say what a call is about, the most informative first. */
const telling = [
  'command',
  'file_path',
  'absolute_path',
  'path',
  'url',
  'pattern',
  'query',
  'prompt',
  'description',
];

/**
 * What a row is about, on one line: for a tool call a path or a command, for a turn the prompt, for a model
 * call its first words. Without payloads, it is the hook that decided, and its reason.
 */
export function subjectOf(row: Row, moment: number): string {
  if (row.kind === 'session' || row.at > moment) return '';
  return givenOf(row, moment) || oneLine(saidOf(row, moment));
}

/** What a row is about, as far as its payload says so. */
export const givenOf = (row: Row, moment: number): string =>
  row.kind === 'session' || row.at > moment ? '' : oneLine(givenTo(row, moment));

const oneLine = (text: string): string => text.slice(0, longest).replaceAll(/\s+/g, ' ').trim();

function givenTo({ machine, started, ended }: Row, moment: number): string {
  const given = started?.payload;
  switch (machine) {
    case 'modelCall': {
      const result = ended && ended.at <= moment ? ended.payload : undefined;
      return messageText(result)?.trim() || (messageText(given) ?? '');
    }
    case 'toolCall':
      return argumentOf(given);
    case 'agentTurn':
      return typeof given === 'string' ? given : '';
    default:
      return isRecord(given) ? asText(given['prompt'] ?? given['message'] ?? '') : '';
  }
}

function argumentOf(given: unknown): string {
  if (!isRecord(given)) return typeof given === 'string' ? given : '';
  const name = telling.find((key) => typeof given[key] === 'string' && given[key] !== '');
  const value = name === undefined ? undefined : given[name];
  if (typeof value === 'string') return value;
  const values = Object.values(given);
  return values.find((each) => typeof each === 'string') ?? JSON.stringify(given);
}

/** The hook that decided, and why. */
function saidOf(row: Row, moment: number): string {
  const { by, late, changes, failed } = storyOf(accountAt(row, moment, false));
  const [decider] = [...by, ...late];
  if (decider?.name !== undefined) return said(decider.name, decider.reason);
  const [hook] = failed;
  if (hook) {
    const { error, timedOut, failure } = hook.answer!;
    return said(hook.name, error ?? (timedOut ? 'took too long' : failure));
  }
  const [change] = changes;
  if (change) return `${change.by} set ${change.field}`;
  return (row.ended && row.ended.at <= moment && row.ended.reason) || '';
}

const said = (name: string, reason: string | undefined): string =>
  reason === undefined || reason === '' ? name : `${name}: ${reason}`;
