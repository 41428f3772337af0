import { isRecord } from '../../base/json.ts';
import type { CallAccount, EventAccount, HookAccount } from './account.ts';
import { payloadLines, messageText, valueOf } from './payload-lines.ts';
import { storyOf } from './story.ts';
import { usedTokens } from './used-tokens.ts';
import { type Decider, deniersOf, hookThat, stopperOf } from './who-decided.ts';
import { counted } from '../../base/counted.ts';

/**
 * Explains in words what happened to a call, one line each: how it ended and why, then each hook in order.
 */
export function explain(call: CallAccount): string[] {
  const [outlived] = call.machine === 'hookProcess' ? call.events : [];
  if (outlived) return explainOutliving(call, outlived);
  return [
    sentence(call),
    ...(call.usage ? [`It used ${usedTokens(call.usage)}.`] : []),
    ...before(givenLines(call)),
    ...call.events.flatMap((event) => ['', ...explainEvent(event)]),
    ...(call.events.length === 0 ? ['', 'No hook ran.'] : []),
    ...before(resultLines(call)),
    ...before(call.payloads ? [] : [notRecorded]),
  ];
}

const before = (lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['', ...lines]);

const notRecorded =
  'Arguments, texts, and what hooks read and wrote were not recorded: --record-payloads records them.';

/** What a call was given: its arguments, the user's prompt, or the last message to the model. */
const givenLines = ({ machine, given }: CallAccount): string[] =>
  machine === 'modelCall'
    ? payloadLines('asked', messageText(given))
    : payloadLines(machine === 'agentTurn' ? 'prompt' : 'arguments', given);

const resultLines = ({ machine, result }: CallAccount): string[] =>
  machine === 'modelCall'
    ? payloadLines('answered', messageText(result))
    : payloadLines('result', result);

/** What became of a hook that outlived its event. */
function explainOutliving(call: CallAccount, event: EventAccount): string[] {
  const lines = event.hooks.flatMap((hook) => [
    `  ${described(hook)} ${didWhat(hook, event)}${exitOf(hook)}`,
    ...(hook.answer?.notes ?? []).map((note) => `  note: ${note}`),
    ...hookPayloads(hook, '  '),
  ]);
  return [sentence(call), '', ...lines, ...before(call.payloads ? [] : [notRecorded])];
}

/** Says in one line how a call ended, and why. */
export function sentence(call: CallAccount): string {
  const { name, machine, state, reason, events, stoppedIn } = call;
  const { status, by, late } = storyOf(call);
  const subject = machine === 'agentTurn' ? 'The turn' : name;
  const why = because(reason);
  if (machine === 'hookProcess' && events[0] && status !== undefined)
    return `${subject} was not waited for by its ${events[0].event}, and ${howItEnded(status)}${why || '.'}`;
  const [first] = by;
  switch (status) {
    case undefined:
      return `${subject} had not ended when the recording did${state === undefined ? '' : `; it was in "${state}"`}.`;
    case 'blocked':
      return by.length > 0 ? blocked(subject, by) : `${subject} was blocked${why}`;
    case 'stopped':
      if (first && machine === 'hookEvent')
        return `${subject}: ${named(first)} stopped the agent${because(first.reason)}`;
      if (first?.name !== undefined)
        return `${subject} ended because ${named(first)} stopped the agent${why}`;
      return stoppedIn === undefined
        ? `${subject} was stopped${why}`
        : `${subject} ended with #${stoppedIn.index}, ${stoppedIn.name}: one of its hooks stopped the agent${why}`;
    case 'answered':
      return `${subject} was not asked: ${by.length > 0 ? by.map(named).join(' and ') : 'a hook'} answered in its place${why}`;
    case 'settled':
      return `${subject} went through.`;
    case 'done':
      return [`${subject} completed.`, ...tooLate(late)].join(' ');
    case 'finished':
      return `${subject} completed.`;
    case 'suspended':
      return `${subject} is waiting for answers about its tool calls.`;
    case 'refused':
      return `${subject} was refused${why}`;
    case 'cancelled':
      return `${subject} was cancelled${why}`;
    case 'failed':
      return `${subject} failed${why}`;
    default:
      return `${subject} ended as ${status}${why}`;
  }
}

const because = (reason: string | undefined): string =>
  reason === undefined || reason === '' ? '' : `: ${reason}`;

const isBlocked = ({ verdict }: EventAccount): boolean => verdict?.blocked === true;
const stops = ({ verdict }: EventAccount): boolean => verdict?.stop === true;

const blocked = (subject: string, by: readonly Decider<HookAccount>[]): string =>
  `${subject} was blocked by ${by
    .map((hook) => `${named(hook)}${because(hook.reason)}`)
    .join('; by ')}`;

/** A denial after the call cannot undo it. */
const tooLate = (by: readonly Decider<HookAccount>[]): string[] =>
  by.map(
    (hook) =>
      `The denial by ${named(hook)} came too late and was reported to the model${because(hook.reason)}`,
  );

const named = ({ name, hook }: Decider<HookAccount>): string =>
  name === undefined ? 'a hook' : described(hook ?? { name });

const described = ({ name, source, dialect, event }: Partial<HookAccount>): string => {
  const where = [source, event === undefined ? undefined : `${dialect} ${event}`];
  const known = where.filter((one) => one !== undefined);
  return known.length === 0 ? `hook "${name}"` : `hook "${name}" (${known.join(', ')})`;
};

function explainEvent(event: EventAccount): string[] {
  const { hooks, mode, lanes, verdict, status, startedAt, endedAt, asItComes } = event;
  const how = lanes
    ? `, ${lanes.map((lane) => `those of ${lane.dialect} ${inMode(lane.mode)}`).join(' alongside ')}`
    : hooks.length < 2
      ? ''
      : `, ${inMode(mode)}`;
  return [
    `${event.event}${asItComes ? ', streamed text' : ''}: ${counted(hooks.length, 'hook')}${how}${endedAt === undefined ? '' : `, ${ms(endedAt - startedAt)}`}`,
    ...fieldLines(event),
    ...hooks.flatMap((hook, index) => explainHook(hook, index + 1, event)),
    ...(verdict?.conflicts ?? []).map(
      ({ field, hooks: names, winner }) =>
        `  ${names.map((name) => `"${name}"`).join(' and ')} set ${field} differently; "${winner}" won`,
    ),
    `  ${together(event)}`,
    ...(status === 'cancelled' ? ['  the caller gave up before all hooks had answered'] : []),
  ];
}

/** The base fields, which every event has, and the arguments of a tool call add nothing here. */
const known = ['session_id', 'transcript_path', 'cwd', 'hook_event_name', 'timestamp'];

/** The fields of an event that says more than its call, such as a prompt. */
function fieldLines({ given }: EventAccount): string[] {
  if (!isRecord(given)) return [];
  const fields = Object.entries(given).filter(
    ([name]) => !known.includes(name) && !/^(?:tool|llm)_/.test(name),
  );
  return fields.flatMap(([name, value]) => payloadLines(name, value, '  '));
}

const inMode = (mode: EventAccount['mode']): string =>
  mode === 'sequential' ? 'one after another' : 'in parallel';

function together(event: EventAccount): string {
  if (event.verdict === undefined) return 'together: they had not all answered';
  const words = [
    ...(isBlocked(event) ? [`blocked by ${deniersOf(event).map(named).join(' and ')}`] : []),
    ...(event.verdict.ask ? [`the user must be asked${because(event.verdict.reason)}`] : []),
    ...(event.verdict.defer ? [`deferred${because(event.verdict.reason)}`] : []),
    ...(event.verdict.approved ? ['approved, so the user need not be asked'] : []),
    ...(stops(event) ? [`stopped by ${named(stopperOf(event))}`] : []),
  ];
  return `together: ${words.length > 0 ? words.join(', and ') : 'it may continue'}`;
}

function explainHook(hook: HookAccount, position: number, event: EventAccount): string[] {
  const { answer } = hook;
  return [
    `  ${position}. ${described(hook)} ${didWhat(hook, event)}${exitOf(hook)}`,
    ...(answer?.pieces === undefined ? [] : [`     ${piecesOf(answer.pieces, answer.changed)}`]),
    ...(answer?.notes ?? []).map((note) => `     note: ${note}`),
    ...hookPayloads(hook, '     '),
  ];
}

const piecesOf = (pieces: number, changed = 0): string =>
  `it was given ${counted(pieces, 'piece')} of text, and changed ${changed === 0 ? 'none' : changed}`;

/** What a hook read and wrote, and the values of the fields that it set. */
function hookPayloads({ stdin, answer }: HookAccount, indent: string): string[] {
  const { payload, sets = [] } = answer ?? {};
  return [
    ...payloadLines('stdin', stdin, indent),
    ...payloadLines('stdout', payload?.stdout, indent),
    ...payloadLines('stderr', payload?.stderr, indent),
    ...sets.flatMap((field) => payloadLines(field, valueOf(field, payload?.output), indent)),
  ];
}

function didWhat(hook: HookAccount, event: EventAccount): string {
  const { timeout, answer } = hook;
  if (answer === undefined) {
    if (hook.status === 'notStarted')
      return hook.async ? 'was started, but not waited for' : notRun(event);
    return hook.status === 'running' ? 'had not ended' : 'ended, and its answer was not read';
  }
  const { status, decision, stop, reason, stopReason, sets = [] } = answer;
  const fate =
    decision === 'deny'
      ? `denied it${because(reason)}`
      : stop
        ? `stopped the agent${because(stopReason)}`
        : 'was ignored';
  switch (status) {
    case 'ok': {
      const words = [
        ...(sets.length > 0
          ? [`set ${sets.map((field) => `${field}${overruled(hook, field, event)}`).join(', ')}`]
          : []),
        ...(decision === 'deny' ? [`denied it${because(reason)}`] : []),
        ...(stop
          ? [
              `stopped the agent${because(stopReason ?? (decision === 'deny' ? undefined : reason))}`,
            ]
          : []),
        ...(decision === 'ask'
          ? [
              event.verdict?.ask
                ? `wants the user to be asked${because(reason)}`
                : `asked, which counts as letting it pass${because(reason)}`,
            ]
          : []),
        ...(decision === 'defer' ? [`deferred it${because(reason)}`] : []),
        ...(decision === 'allow' ? [`allowed it${because(reason)}`] : []),
      ];
      return words.length > 0 ? words.join(' and ') : 'let it pass';
    }
    case 'timedOut':
      return `timed out${timeout === undefined ? '' : ` after ${timeout} ms`} and ${fate}`;
    case 'failed':
      return `failed and ${fate}${decision === 'deny' ? '' : because(failureOf(answer))}`;
    case 'cancelled':
      return 'was cancelled';
    case 'untrusted':
      return 'was not run: it was no longer trusted';
    default:
      return `ended as ${status}`;
  }
}

/** Why a hook failed, unless how it exited says it. */
const failureOf = ({ error, failure }: NonNullable<HookAccount['answer']>): string | undefined =>
  error ?? (/^(?:exit|http|signal)-/.test(failure ?? '') ? undefined : failure);

const howItEnded = (status: string): string =>
  ({ exited: 'ended by itself', timedOut: 'timed out', cancelled: 'was ended' })[status] ?? status;

function notRun({ status }: EventAccount): string {
  if (status === undefined) return 'had not started';
  return status === 'settled' ? 'was not run: the others had ended it' : 'was not run';
}

/** Names the hook whose value replaced a hook's own. */
function overruled(hook: HookAccount, field: string, event: EventAccount): string {
  const name = event.verdict?.setBy[field];
  if (name === undefined) return '';
  const winner = hookThat(event.hooks, name, ({ sets }) => sets?.includes(field) ?? false);
  if (winner === undefined || winner === hook) return '';
  // A hook of the same name is distinguished by its position.
  const which = name === hook.name ? `${event.hooks.indexOf(winner) + 1}. "${name}"` : `"${name}"`;
  return ` (overruled by ${which})`;
}

const ms = (duration: number): string => `${Math.round(duration)} ms`;

function exitOf({ answer }: HookAccount): string {
  if (answer === undefined || answer.status === 'untrusted') return '';
  const { signal, exitCode, httpStatus, durationMs } = answer;
  const status = httpStatus === undefined ? undefined : `HTTP ${httpStatus}`;
  const exit = status ?? signal ?? (exitCode === null ? undefined : `exit ${exitCode}`);
  return ` (${[...(exit === undefined ? [] : [exit]), ms(durationMs)].join(', ')})`;
}
