import { usedTokens } from '../../journal/used-tokens.ts';
import type { CallAccount, EventAccount, HookAccount } from '../../journal/account.ts';
import type { AnsweredEntry } from '../../journal/entry.ts';
import { hasFailed } from '../../journal/story.ts';
import { deniersOf, stopperOf } from '../../journal/who-decided.ts';
import { accountAt } from './account-at.ts';
import { bannerOf, byWhom, hasBegun } from './banner.ts';
import { type Child, make } from './dom.ts';
import { asText, counted, duration, words } from './format.ts';
import { answerTone, movesAt, statusAt, toneOf } from './moment.ts';
import { isSession, type Row, type Run, type Session } from './run.ts';
import { GivenReasons } from './given-reasons.ts';
import type { View } from './view.ts';
import { wayOf } from './way.ts';

/** How much of a text is shown at first, in characters. */
const longestText = 20_000;

/** What is shown, and which hooks the reader has opened. */
export interface FactsView extends Pick<View, 'moment' | 'focus' | 'about' | 'runs' | 'wanted'> {
  readonly isOpen: (id: string, otherwise: boolean) => boolean;
}

/** How a row ended and the way to it, and everything else that is known about it. */
interface Facts {
  readonly ending: Node[];
  readonly rest: Node[];
}

/** Returns everything that is known about a row at a moment. */
export function factsOf(row: Row, view: FactsView): Facts {
  if (isSession(row)) return { ending: [], rest: present(sessionFacts(row, view)) };
  const { about, moment, focus } = view;
  const account = hasBegun(row, moment) ? accountAt(row, moment, about.payloads) : undefined;
  const spoken = new GivenReasons();
  return {
    ending: present([bannerOf(row, account, moment, spoken), focus && wayOf(focus, moment)]),
    rest: present([
      ...(account ? accountFacts(account, view, spoken) : []),
      !about.payloads && payloadHint(),
      focus && stepFacts(focus, moment),
    ]),
  };
}

const present = (children: readonly Child[]): Node[] =>
  children.filter((child): child is Node => typeof child === 'object');

const givenNames = new Map([
  ['agentTurn', 'Prompt'],
  ['toolCall', 'Arguments'],
  ['modelCall', 'Request'],
]);

const accountFacts = (account: CallAccount, view: FactsView, spoken: GivenReasons): Child[] => [
  account.usage && make('p', { class: 'usage' }, usedTokens(account.usage)),
  payload(givenNames.get(account.machine) ?? 'Given', account.given),
  ...account.events.map((event) => eventFacts(event, view, spoken)),
  payload(account.machine === 'modelCall' ? 'Response' : 'Result', account.result),
];

/** A hook event: its plan, what was decided, and each hook. */
function eventFacts(event: EventAccount, view: FactsView, spoken: GivenReasons): HTMLElement {
  const { focus } = view;
  const { id, hooks, lanes, mode, verdict } = event;
  const how = lanes
    ? lanes.map((lane) => `those of ${lane.dialect} ${inMode(lane.mode)}`).join(' alongside ')
    : inMode(mode);
  return make(
    'section',
    { class: `event ${focus?.id === id ? 'focus' : ''}`, data: { run: id } },
    make(
      'h3',
      {},
      make(
        'button',
        { type: 'button', class: 'link', data: { focus: id } },
        `${event.event}${event.asItComes ? ', streamed text' : ''}`,
      ),
      make('small', {}, `${counted(hooks.length, 'hook')}${hooks.length > 1 ? ` ${how}` : ''}`),
      verdict && verdictBadge(event, verdict),
    ),
    verdict && verdictFacts(event, verdict, spoken),
    ...hooks.map((hook) => hookFacts(hook, event, view, spoken)),
    payload('Input of the event', event.given),
  );
}

const inMode = (mode: EventAccount['mode']): string =>
  mode === 'sequential' ? 'one after another' : 'in parallel';

type Verdict = NonNullable<EventAccount['verdict']>;

function verdictBadge({ hooks }: EventAccount, verdict: Verdict): HTMLElement {
  const { blocked, stop, ask, defer, setBy } = verdict;
  const failed = hooks.filter(({ answer }) => answer && hasFailed(answer.status)).length;
  const [tone, text] = blocked
    ? ['deny', 'denied']
    : stop
      ? ['ask', 'stop']
      : ask
        ? ['ask', 'ask']
        : defer
          ? ['ask', 'deferred']
          : failed > 0
            ? ['fail', `${failed} failed`]
            : Object.keys(setBy).length > 0
              ? ['note', 'changed']
              : ['ok', 'passed'];
  return make('span', { class: `badge ${tone}` }, text);
}

/** Who decided, who set which field, and who was overruled. */
function verdictFacts(
  event: EventAccount,
  { blocked, stop, setBy, conflicts }: Verdict,
  spoken: GivenReasons,
): Child {
  const fields = Object.entries(setBy).filter(
    ([field]) => field !== 'decision' && field !== 'continue',
  );
  if (!blocked && !stop && fields.length === 0 && conflicts.length === 0) return undefined;
  return make(
    'div',
    { class: `verdict ${blocked ? 'deny' : stop ? 'ask' : ''}` },
    blocked && make('p', {}, 'Denied', ...byWhom(deniersOf(event), spoken)),
    stop && make('p', {}, 'Stopped', ...byWhom([stopperOf(event)], spoken)),
    fields.length > 0 &&
      make(
        'table',
        { class: 'sets' },
        make('caption', {}, 'Set by hooks'),
        make(
          'tbody',
          {},
          ...fields.map(([field, hook]) =>
            make(
              'tr',
              {},
              make('th', { scope: 'row' }, make('code', {}, field)),
              make('td', {}, hook),
            ),
          ),
        ),
      ),
    ...conflicts.map(({ field, hooks, winner }) =>
      make(
        'p',
        { class: 'conflict' },
        make('span', { class: 'badge ask' }, 'conflict'),
        make('code', {}, field),
        ` set by ${hooks.join(', ')}; `,
        make('strong', {}, winner),
        ' wins, being last in the plan',
      ),
    ),
  );
}

/** One hook: its definition, its answer, and what it read and wrote. */
function hookFacts(
  hook: HookAccount,
  event: EventAccount,
  view: FactsView,
  spoken: GivenReasons,
): HTMLElement {
  const { moment, focus, runs, wanted } = view;
  const { id, name, answer } = hook;
  const process = id === undefined ? undefined : runs.byId.get(id);
  const isFocus = process !== undefined && focus === process;
  const status = process ? statusAt(process, moment) : 'later';
  const tone = answer ? answerTone(answer) : toneOf(status);
  const took = answer?.durationMs ?? (process?.end === undefined ? undefined : lengthOf(process));
  const { stdout, stderr, output } = answer?.payload ?? {};
  const failure = answer?.error ?? answer?.failure;
  const details = make(
    'details',
    {
      class: `hook ${isFocus ? 'focus' : ''} ${process ? '' : 'planned'}`,
      data: id === undefined ? {} : { run: id },
    },
    make(
      'summary',
      {},
      make('i', { class: `dot ${tone}` }),
      make('span', { class: 'hook-name' }, name),
      make('span', { class: `hook-said ${tone}` }, saidBy(hook, event, process, moment)),
      make('span', { class: 'hook-exit' }, answer ? exitOf(answer) : ''),
      make(
        'span',
        { class: 'hook-took' },
        took === undefined || status === 'running' ? '' : duration(took),
      ),
    ),
    ...[answer?.reason, answer?.stopReason].map((reason) => spoken.once(reason, name)),
    failure !== undefined && make('p', { class: 'said fail' }, failure),
    ...(answer?.notes ?? []).map((note) => make('p', { class: 'said note' }, note)),
    definitionFacts(hook, process),
    payload('Read (stdin)', hook.stdin),
    payload('Wrote (stdout)', stdout === '' ? undefined : stdout),
    payload('Wrote (stderr)', stderr === '' ? undefined : stderr),
    payload('Understood as', output),
  );
  const isTelling = tone === 'deny' || tone === 'fail' || isFocus || hasHit(details, wanted);
  details.open = view.isOpen(id ?? '', isTelling);
  return details;
}

/** How one hook is defined, and the numbers of what it did. */
function definitionFacts({ answer, ...hook }: HookAccount, process: Run | undefined): HTMLElement {
  return list([
    ['Command', hook.command !== undefined && make('code', {}, hook.command)],
    ['Source', hook.source],
    ['Dialect', hook.event === undefined ? hook.dialect : `${hook.dialect}, ${hook.event}`],
    ['Deadline', hook.timeout !== undefined && duration(hook.timeout)],
    [
      'Pieces of text',
      answer?.pieces === undefined
        ? undefined
        : `${answer.pieces}, ${answer.changed} of them changed`,
    ],
    [
      'Sets',
      answer?.sets &&
        make('span', { class: 'codes' }, ...answer.sets.map((field) => make('code', {}, field))),
    ],
    [
      'Machine',
      process &&
        make(
          'button',
          { type: 'button', class: 'link', data: { draw: process.id } },
          'show its drawing',
        ),
    ],
  ]);
}

const lengthOf = (run: Run): number => (run.end ?? run.at) - run.at;

/** Whether it contains a word that was searched for. */
function hasHit({ textContent }: Element, wanted: readonly string[]): boolean {
  const text = wanted.length > 0 ? textContent.toLowerCase() : '';
  return wanted.some((word) => text.includes(word));
}

const said = { deny: 'denied', defer: 'deferred it', ask: 'asked', allow: 'allowed' };

function saidBy(
  { answer, async }: HookAccount,
  event: EventAccount,
  process: Run | undefined,
  moment: number,
): string {
  if (answer) return answerInWords(answer);
  if (async && !process) return 'runs by itself';
  if (!process) return event.status === undefined ? 'waits' : 'did not run';
  return words(movesAt(process, moment).at(-1)?.to.split('.').at(-1) ?? 'starting');
}

type Answer = Pick<
  AnsweredEntry,
  'status' | 'decision' | 'stop' | 'sets' | 'timedOut' | 'exitCode' | 'signal' | 'httpStatus'
>;

function answerInWords({ status, decision, stop, sets = [], timedOut }: Answer): string {
  const isLate = timedOut || status === 'timedOut';
  if (status !== 'ok' && !isLate && decision === undefined) return words(status);
  const parts = [
    isLate && 'timed out',
    decision !== undefined && said[decision],
    stop && 'stops the agent',
    sets.length > 0 && `sets ${counted(sets.length, 'field')}`,
  ].filter((part) => typeof part === 'string');
  return parts.length > 0 ? parts.join(', ') : 'passed';
}

function exitOf({ exitCode, signal, httpStatus }: Answer): string {
  if (httpStatus !== undefined) return `HTTP ${httpStatus}`;
  return signal ?? (exitCode === null ? '' : `exit ${exitCode}`);
}

/** Every step of the machine in focus. */
function stepFacts(run: Run, moment: number): Child {
  const moves = movesAt(run, moment);
  if (moves.length === 0) return undefined;
  return make(
    'section',
    { class: 'steps' },
    make('h3', {}, 'Steps', make('small', {}, `of ${run.machine} “${run.name || run.row.number}”`)),
    make(
      'ol',
      {},
      ...moves.map(({ to, event, at }, index) =>
        make(
          'li',
          {},
          make(
            'button',
            { type: 'button', class: 'step', data: { seek: at }, title: 'Go to this moment' },
            make('span', { class: 'step-at' }, `+${duration(at - run.at)}`),
            make('span', { class: 'step-to' }, to),
            make('span', { class: 'step-by' }, index === 0 ? 'begins' : eventName(event)),
          ),
        ),
      ),
    ),
  );
}

/** An event's name in words, without what only XState itself needs. */
const eventName = (event: string): string =>
  event
    .replace(
      /^xstate\.(done|error)\.actor\.(.+)$/,
      (_, how, actor) => `${actor} ${how === 'done' ? 'ended' : 'failed'}`,
    )
    .replace(/^xstate\.after\.([^.]+)\..*$/, 'after $1')
    .replace(/^xstate\.init$/, 'at once');

function sessionFacts(session: Session, { about }: FactsView): Child[] {
  const rows = session.lanes;
  const turns = rows.filter(({ kind }) => kind === 'turn').length;
  const events = rows.filter(({ machine }) => machine === 'hookEvent').map(({ name }) => name);
  return [
    make(
      'p',
      { class: 'lead off' },
      `${counted(turns, 'turn')}, ${counted(session.callCount, 'call')}.`,
    ),
    list([
      ['Session', make('code', {}, session.name || 'unnamed')],
      ['Began', new Date(session.at).toLocaleString()],
      ['Hook events', events.length > 0 && events.slice(0, 20).join(', ')],
    ]),
    !about.payloads && payloadHint(),
  ];
}

const payloadHint = (): HTMLElement =>
  make(
    'p',
    { class: 'hint' },
    'Payloads are off: arguments, results and what hooks read and wrote are not kept. ',
    make(
      'button',
      { type: 'button', class: 'link', data: { open: 'payloads-dialog' } },
      'How to switch them on',
    ),
  );

/** A list of terms with their values; those without a value are left out. */
function list(pairs: readonly (readonly [term: string, value: Child])[]): HTMLElement {
  const known = pairs.filter(([, value]) => value !== undefined && value !== false);
  return make(
    'dl',
    { class: 'list' },
    ...known.flatMap(([term, value]) => [make('dt', {}, term), make('dd', {}, value)]),
  );
}

/** A text or value that was read, written, given or returned, if it was recorded. */
function payload(title: string, value: unknown): Child {
  if (value === undefined) return undefined;
  const text = asText(value);
  const code = make('code', {}, text.slice(0, longestText));
  const rest = text.length - longestText;
  return make(
    'figure',
    { class: 'payload' },
    make('figcaption', {}, title),
    make('pre', { tabindex: '0', role: 'group', 'aria-label': title }, code),
    rest > 0 &&
      make(
        'button',
        {
          type: 'button',
          class: 'link',
          onclick(event) {
            code.textContent = text;
            (event.currentTarget as Element).remove();
          },
        },
        `Show ${counted(rest, 'more character')}`,
      ),
  );
}
