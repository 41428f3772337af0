import { decidersOf, deniersOf, stopperOf, stoppingCall } from './deciders.js';
import { make } from './dom.js';
import { asText, counted, duration, stateInWords, words } from './format.js';
import { answerAt, answerTone, movesAt, statusAt, toneOf, verdictAt } from './moment.js';

/** So much of a text is shown at first. */
const longestText = 20_000;

/** Everything that is known of a row at a moment, as a document. */
export function factsOf(row, view) {
  if (row.machine === 'session') return sessionFacts(row, view);
  const { moment } = view;
  const events = row.children.filter(
    (child) => child.row === row && child.machine === 'hookEvent' && child.at <= moment,
  );
  const ended = row.end <= moment ? row.ended : undefined;
  return [
    summary(row, view),
    ...(row.machine === 'hookEvent' ? [eventFacts(row, view)] : []),
    ...(row.machine === 'hookProcess' ? [hookFacts(undefined, row, view)] : []),
    row.machine !== 'hookEvent' && payload(givenNames[row.machine], row.payload),
    ...events.map((event) => eventFacts(event, view)),
    payload(resultNames[row.machine], ended?.payload),
    !view.about.payloads && payloadHint(view),
    stepFacts(view.focus, view),
  ].filter(Boolean);
}

const givenNames = { toolCall: 'Arguments', modelCall: 'Request' };
const resultNames = { toolCall: 'Result', modelCall: 'Response', hookEvent: 'Output' };

/** How it ended, in a sentence. */
function summary(row, { moment }) {
  const status = statusAt(row, moment);
  if (status === 'later')
    return make('p', { class: 'lead later' }, 'At this moment it had not begun.');
  if (status === 'running') {
    const state = movesAt(row, moment).at(-1)?.to;
    return make('p', { class: 'lead live' }, `Running: ${stateInWords(state ?? 'starting')}.`);
  }
  return make(
    'p',
    { class: `lead ${leadTone(row, status, moment)}` },
    ...lead(row, status, moment),
  );
}

/** How it ended; of an event by itself, what its hooks decided. */
function endOf(row, status, moment) {
  if (row.machine !== 'hookEvent') return status;
  const verdict = verdictAt(row, moment);
  return verdict?.blocked ? 'blocked' : verdict?.stop ? 'stopped' : status;
}

const leadTone = (row, status, moment) => toneOf(endOf(row, status, moment));

function lead(row, ended, moment) {
  const status = endOf(row, ended, moment);
  const said = make('strong', {}, sentence(status, row));
  const reason = row.ended.reason;
  if (status === 'done') {
    const late = decidersOf(row, 'blocked', moment);
    return late.length === 0
      ? [said, quoted(reason)]
      : [said, '. A denial came too late and was reported to the model:', ...byWhom(late)];
  }
  if (!['blocked', 'stopped', 'answered'].includes(status)) return [said, quoted(reason)];
  const deciders = decidersOf(row, status, moment);
  if (deciders.length > 0) return [said, ...byWhom(deciders)];
  const call = status === 'stopped' ? stoppingCall(row, moment) : undefined;
  return [
    said,
    call && ' by a hook of ',
    call && make('button', { type: 'button', class: 'link', data: { focus: call.id } }, call.name),
    quoted(reason),
  ];
}

/** Hooks by name, each with its own reason. */
const byWhom = (deciders) =>
  deciders.flatMap(({ name, reason }, index) => [
    index > 0 && ' and',
    name !== undefined && ' by ',
    name !== undefined && make('code', {}, name),
    quoted(reason),
  ]);

const quoted = (reason) => reason !== undefined && reason !== '' && make('q', {}, reason);

const sentences = {
  done: 'It ran',
  finished: 'The agent finished',
  answered: 'A hook answered in place of the model',
  settled: 'Every hook has answered',
  exited: 'The hook ended',
  blocked: 'It was denied',
  refused: 'It was refused',
  stopped: 'The agent was stopped',
  failed: 'It failed',
  timedOut: 'It took too long',
  cancelled: 'It was cancelled',
};

const sentence = (status, { machine }) =>
  machine === 'modelCall' && status === 'done'
    ? 'The model answered'
    : (sentences[status] ?? `It ended as “${words(status)}”`);

/** A hook event: its plan, what was decided, and each hook. */
function eventFacts(event, view) {
  const { moment, focus } = view;
  const verdict = verdictAt(event, moment);
  const processes = event.children.filter(({ at }) => at <= moment);
  const { mode, hooks = [] } = event.plan ?? {};
  // Hooks of one name may run more than once; each process takes the next plan entry of its name.
  const left = [...hooks];
  const take = (name) => {
    const index = left.findIndex((hook) => hook.name === name);
    return index < 0 ? undefined : left.splice(index, 1)[0];
  };
  const pairs = processes.map((process) => [take(process.name), process]);
  return make(
    'section',
    { class: `event ${focus === event ? 'focus' : ''}`, data: { run: event.id } },
    make(
      'h3',
      {},
      make('button', { type: 'button', class: 'link', data: { focus: event.id } }, event.name),
      make(
        'small',
        {},
        `${counted(hooks.length, 'hook')} ${mode === 'sequential' ? 'one after another' : 'side by side'}`,
      ),
      verdict && verdictBadge(verdict),
    ),
    verdict && verdictFacts(event, verdict, moment),
    ...pairs.map(([hook, process]) => hookFacts(hook, process, view)),
    ...left.map((hook) => plannedFacts(hook, statusAt(event, moment))),
    payload('Input of the event', event.payload),
    event.row !== event &&
      payload('Verdict’s output', event.end <= moment ? event.ended?.payload : undefined),
  );
}

function verdictBadge({ blocked, stop }) {
  const [tone, text] = blocked ? ['deny', 'denied'] : stop ? ['ask', 'stop'] : ['ok', 'passed'];
  return make('span', { class: `badge ${tone}` }, text);
}

/** Who decided, who set which field, and who was overruled. */
function verdictFacts(event, { blocked, stop, setBy, conflicts }, moment) {
  const fields = Object.entries(setBy).filter(
    ([field]) => field !== 'decision' && field !== 'continue',
  );
  if (!blocked && !stop && fields.length === 0 && conflicts.length === 0) return undefined;
  return make(
    'div',
    { class: `verdict ${blocked ? 'deny' : stop ? 'ask' : ''}` },
    blocked && make('p', {}, 'Denied', ...byWhom(deniersOf(event, moment))),
    stop && make('p', {}, 'Stopped', ...byWhom([stopperOf(event, moment)])),
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
        ' stands, being last in the plan',
      ),
    ),
  );
}

/** A hook that has not started, or never did. */
const plannedFacts = ({ name, source, command, timeout }, status) =>
  make(
    'details',
    { class: 'hook planned' },
    make(
      'summary',
      {},
      make('i', { class: 'dot later' }),
      make('span', { class: 'hook-name' }, name),
      make('span', { class: 'hook-said' }, status === 'running' ? 'waits' : 'did not run'),
    ),
    list([
      ['Command', make('code', {}, command)],
      ['Source', source],
      ['Deadline', duration(timeout)],
    ]),
  );

/** One hook: what it was, what it said, and what it read and wrote. */
function hookFacts(hook, process, view) {
  const { moment, focus } = view;
  const answer = answerAt(process, moment);
  const status = statusAt(process, moment);
  const steps = movesAt(process, moment);
  const tone = answer ? answerTone(answer) : toneOf(status);
  const took = answer?.durationMs ?? (process.end <= moment ? process.end - process.at : undefined);
  const { stdout, stderr, output } = answer?.payload ?? {};
  return make(
    'details',
    {
      class: `hook ${focus === process ? 'focus' : ''}`,
      open: view.isOpen(process, tone === 'deny' || tone === 'fail' || focus === process),
      data: { run: process.id },
    },
    make(
      'summary',
      {},
      make('i', { class: `dot ${tone}` }),
      make('span', { class: 'hook-name' }, process.name),
      make(
        'span',
        { class: `hook-said ${tone}` },
        answer ? saidBy(answer) : words(steps.at(-1)?.to.split('.').at(-1) ?? 'starting'),
      ),
      make('span', { class: 'hook-exit' }, answer ? exitOf(answer) : ''),
      make('span', { class: 'hook-took' }, took === undefined ? '' : duration(took)),
    ),
    answer?.reason && make('p', { class: 'said' }, make('q', {}, answer.reason)),
    answer?.stopReason && make('p', { class: 'said' }, make('q', {}, answer.stopReason)),
    answer?.error && make('p', { class: 'said fail' }, answer.error),
    ...(answer?.notes ?? []).map((note) => make('p', { class: 'said note' }, note)),
    list([
      ['Command', hook && make('code', {}, hook.command)],
      ['Source', hook?.source],
      ['Dialect', hook?.dialect],
      ['Deadline', hook && duration(hook.timeout)],
      [
        'Sets',
        answer?.sets &&
          make('span', { class: 'codes' }, ...answer.sets.map((field) => make('code', {}, field))),
      ],
      [
        'Machine',
        make(
          'button',
          { type: 'button', class: 'link', data: { focus: process.id } },
          'show its diagram',
        ),
      ],
    ]),
    payload('Read (stdin)', process.payload),
    payload('Wrote (stdout)', stdout === '' ? undefined : stdout),
    payload('Wrote (stderr)', stderr === '' ? undefined : stderr),
    payload('Understood as', output),
  );
}

const said = { deny: 'denied', defer: 'put it off', ask: 'asked', allow: 'allowed' };

function saidBy({ status, decision, stop, sets, timedOut }) {
  if (timedOut || status === 'timedOut') return 'timed out';
  if (status !== 'ok' && decision === undefined) return words(status);
  const parts = [
    said[decision],
    stop && 'stops the agent',
    sets?.length > 0 && `sets ${counted(sets.length, 'field')}`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : 'passed';
}

const exitOf = ({ exitCode, signal }) => signal ?? (exitCode === null ? '' : `exit ${exitCode}`);

/** Every step of the machine that is looked at. */
function stepFacts(run, { moment }) {
  const moves = movesAt(run, moment);
  if (moves.length === 0) return undefined;
  return make(
    'section',
    { class: 'steps' },
    make('h3', {}, 'Steps', make('small', {}, `of ${run.machine} “${run.name || run.number}”`)),
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

/** An event without what tells apart only XState's own. */
const eventName = (event) =>
  event
    .replace(
      /^xstate\.(done|error)\.actor\.(.+)$/,
      (_, how, actor) => `${actor} ${how === 'done' ? 'ended' : 'broke'}`,
    )
    .replace(/^xstate\.after\.([^.]+)\..*$/, 'after $1')
    .replace(/^xstate\.init$/, 'at once');

function sessionFacts(session, view) {
  const rows = session.lanes;
  const turns = rows.filter(({ machine }) => machine === 'agentTurn').length;
  return [
    make(
      'p',
      { class: 'lead' },
      `${counted(turns, 'turn')}, ${counted(session.callCount, 'call')}.`,
    ),
    list([
      ['Session', make('code', {}, session.name || 'unnamed')],
      ['Began', new Date(session.at).toLocaleString()],
      [
        'Hook events',
        rows
          .filter(({ machine }) => machine === 'hookEvent')
          .map(({ name }) => name)
          .slice(0, 20)
          .join(', ') || undefined,
      ],
    ]),
    !view.about.payloads && payloadHint(view),
  ].filter(Boolean);
}

const payloadHint = () =>
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

/** Terms and what is known of them. */
function list(pairs) {
  const known = pairs.filter(([, value]) => value !== undefined && value !== false);
  return make(
    'dl',
    { class: 'list' },
    ...known.flatMap(([term, value]) => [make('dt', {}, term), make('dd', {}, value)]),
  );
}

/** Something that was read, written, given or returned, if it was kept. */
function payload(title, value) {
  if (value === undefined) return undefined;
  const text = asText(value);
  const code = make('code', {}, text.slice(0, longestText));
  const rest = text.length - longestText;
  return make(
    'figure',
    { class: 'payload' },
    make('figcaption', {}, title),
    make('pre', { tabindex: '0' }, code),
    rest > 0 &&
      make(
        'button',
        {
          type: 'button',
          class: 'link',
          onclick(event) {
            code.textContent = text;
            event.currentTarget.remove();
          },
        },
        `Show ${counted(rest, 'more character')}`,
      ),
  );
}
