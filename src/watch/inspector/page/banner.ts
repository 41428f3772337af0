import { diffLines, diffWordsWithSpace } from 'diff';
import type { CallAccount, HookAccount } from '../../journal/account.ts';
import { type Change, type Story, storyOf } from '../../journal/story.ts';
import type { Decider } from '../../journal/who-decided.ts';
import { type Child, make } from './dom.ts';
import { asText, counted, stateInWords, words } from './format.ts';
import { statusAt, type Tone, toneOf, verdictAt } from './moment.ts';
import { partsOf, type Row } from './run.ts';
import type { GivenReasons } from './given-reasons.ts';

/** A sentence that says how a row ended, with whatever else is worth knowing about it. */
export function bannerOf(
  row: Row,
  account: CallAccount | undefined,
  moment: number,
  spoken: GivenReasons,
): HTMLElement {
  if (account === undefined)
    return make('p', { class: 'lead later' }, 'At this moment it had not begun.');
  const story = storyOf(account);
  const { failed, changes } = story;
  if (story.status === undefined)
    return make(
      'div',
      { class: `lead ${failed.length > 0 ? 'fail' : 'live'}` },
      make('p', {}, `Running: ${stateInWords(account.state ?? 'starting')}.`),
      failures(failed),
    );
  return make(
    'div',
    { class: `lead ${toneOfStory(story)}` },
    make('p', {}, ...sentence(row, account, story, moment, spoken)),
    failures(failed),
    ...changes.map(diffOf),
  );
}

/** A row in which a hook changed something or failed never looks as if nothing had happened. */
export function toneOfStory({ status, late, failed, changes }: Story): Tone {
  const tone = toneOf(status ?? 'running');
  if (tone !== 'ok') return tone;
  if (late.length > 0) return 'ask';
  if (failed.length > 0) return 'fail';
  return changes.length > 0 ? 'note' : 'ok';
}

function sentence(
  row: Row,
  account: CallAccount,
  story: Story,
  moment: number,
  spoken: GivenReasons,
): Child[] {
  const { status = '', by, late, changes } = story;
  const said = make('strong', {}, sentenceOf(status, account));
  if (by.some(({ name }) => name !== undefined)) return [said, ...byWhom(by, spoken)];
  if (late.length > 0)
    return [
      said,
      ...changed(changes),
      '. A denial came too late and was reported to the model:',
      ...byWhom(late, spoken),
    ];
  const lane = status === 'stopped' ? stoppingLane(row, moment) : undefined;
  return [
    said,
    ...changed(changes),
    lane && ' by a hook of ',
    lane && make('button', { type: 'button', class: 'link', data: { focus: lane.id } }, lane.name),
    changes.length > 0 && '.',
    spoken.once(account.reason),
  ];
}

/** In a turn, the last call whose hook wanted the agent to stop. */
const stoppingLane = (turn: Row, moment: number): Row | undefined =>
  turn.lanes.findLast((lane) => [...partsOf(lane)].some((run) => verdictAt(run, moment)?.stop));

/** Lists hooks by name, each with its own reason unless that was given before. */
export const byWhom = (deciders: readonly Decider<HookAccount>[], spoken: GivenReasons): Child[] =>
  deciders.flatMap(({ name, reason }, index) => [
    index > 0 && ' and',
    name !== undefined && ' by ',
    name !== undefined && make('code', {}, name),
    spoken.once(reason, name),
  ]);

/** Says which fields hooks changed or set: `, with command changed by trash-not-rm`. */
function changed(changes: readonly Change[]): Child[] {
  return changes.flatMap((change, index): Child[] => {
    const { field, by, isRewrite } = change;
    const next = changes[index + 1];
    const isLast = next?.by !== by || next.isRewrite !== isRewrite;
    const before = changes[index - 1];
    const isFirst = before?.by !== by || before.isRewrite !== isRewrite;
    return [
      index === 0 ? ', with ' : isFirst ? ' and ' : ', ',
      make('code', {}, isRewrite ? shortName(field) : field),
      isLast && ` ${isRewrite ? 'changed' : 'set'} by `,
      isLast && make('code', {}, by),
    ];
  });
}

/** An argument is shown under its own name. */
const shortName = (field: string): string => field.slice(field.indexOf('.') + 1);

const sentences = new Map([
  ['done', 'It ran'],
  ['finished', 'The agent finished'],
  ['answered', 'A hook answered in place of the model'],
  ['settled', 'Every hook has answered'],
  ['exited', 'The hook ended'],
  ['blocked', 'It was denied'],
  ['refused', 'It was refused'],
  ['stopped', 'The agent was stopped'],
  ['suspended', 'It waits for answers'],
  ['failed', 'It failed'],
  ['timedOut', 'It took too long'],
  ['cancelled', 'It was cancelled'],
]);

const sentenceOf = (status: string, { machine }: CallAccount): string =>
  machine === 'modelCall' && status === 'done'
    ? 'The model answered'
    : (sentences.get(status) ?? `It ended as “${words(status)}”`);

/** Lists the hooks that failed: `2 hooks failed: audit.js, lint.sh (timed out)`. */
function failures(failed: readonly HookAccount[]): Child {
  if (failed.length === 0) return undefined;
  return make(
    'p',
    { class: 'failures' },
    make('strong', {}, `${counted(failed.length, 'hook')} failed`),
    ': ',
    ...failed.flatMap(({ id, name, answer }, index): Child[] => [
      index > 0 && ', ',
      id === undefined
        ? name
        : make('button', { type: 'button', class: 'link', data: { focus: id } }, name),
      answer?.status === 'timedOut' && ' (timed out)',
    ]),
  );
}

/**
 * Above this length, in characters, the texts are shown one below the other, because comparing them takes too
 * long.
 */
const longestDiff = 20_000;

/** Shows the difference between what was asked for and what took effect, if both are known. */
function diffOf({ field, by, isRewrite, before, after }: Change): Child {
  if (after === undefined || (!isRewrite && before === undefined)) return false;
  const [asked, effective] = [before === undefined ? '' : asText(before), asText(after)];
  return make(
    'figure',
    { class: 'payload diff' },
    make(
      'figcaption',
      {},
      make('code', {}, shortName(field)),
      ', as requested and as ',
      make('code', {}, by),
      ' changed it',
    ),
    make(
      'pre',
      { tabindex: '0', role: 'group', 'aria-label': `Changes of ${shortName(field)}` },
      ...partsOfDiff(asked, effective),
    ),
  );
}

function partsOfDiff(asked: string, effective: string): Child[] {
  if (asked.length + effective.length > longestDiff)
    return [make('del', {}, `${asked}\n`), make('ins', {}, effective)];
  const isLong = /\n/.test(asked.trimEnd()) || /\n/.test(effective.trimEnd());
  const parts = isLong ? diffLines(asked, effective) : diffWordsWithSpace(asked, effective);
  return parts.map(({ value, added, removed }) =>
    added ? make('ins', {}, value) : removed ? make('del', {}, value) : value,
  );
}

/** Whether the row had begun. */
export const hasBegun = (row: Row, moment: number): boolean => statusAt(row, moment) !== 'later';
