import type { CallAccount, EventAccount, HookAccount } from './account.ts';

/** What happened to a call, in words, one line each: how it ended and why, then each hook in order. */
export function explain(call: CallAccount): string[] {
  return [
    sentence(call),
    ...call.events.flatMap((event) => ['', ...explainEvent(event)]),
    ...(call.events.length === 0 ? ['', 'No hook ran.'] : []),
  ];
}

/** How a call ended and why, in one line. */
export function sentence(call: CallAccount): string {
  const { name, machine, status, state, reason, events, stoppedIn } = call;
  const subject = machine === 'agentTurn' ? 'The turn' : name;
  const why = because(reason);
  switch (status) {
    case undefined:
      return `${subject} had not ended when the recording did${state === undefined ? '' : `; it was in "${state}"`}.`;
    case 'blocked': {
      const event = events.findLast(isBlocked);
      return event ? blocked(subject, event) : `${subject} was blocked${why}`;
    }
    case 'stopped': {
      const by = stopper(events.findLast(stops));
      if (by !== undefined) return `${subject} ended because ${by} stopped the agent${why}`;
      return stoppedIn === undefined
        ? `${subject} was stopped${why}`
        : `${subject} ended with #${stoppedIn.index}, ${stoppedIn.name}: a hook of it stopped the agent${why}`;
    }
    case 'answered': {
      const event = events.findLast((each) => isBlocked(each) || stops(each));
      const by = hookNamed(event, event?.verdict?.by, denies) ?? stopper(event) ?? 'a hook';
      return `${subject} was not asked: ${by} answered in its place${why}`;
    }
    case 'settled':
      return settled(call, subject);
    case 'done':
      return [`${subject} ran to its end.`, ...tooLate(events.findLast(isBlocked))].join(' ');
    case 'finished':
      return `${subject} ran to its end.`;
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

/** An event by itself: its verdict is how it ended. */
function settled({ events: [event] }: CallAccount, subject: string): string {
  if (event && isBlocked(event)) return blocked(subject, event);
  if (!event || !stops(event)) return `${subject} went through.`;
  const { stopReason } = event.verdict ?? {};
  return `${subject}: ${stopper(event) ?? 'a hook'} stopped the agent${because(stopReason)}`;
}

const blocked = (subject: string, event: EventAccount): string =>
  `${subject} was blocked by ${deniers(event)
    .map(({ by, reason }) => `${by}${because(reason)}`)
    .join('; by ')}`;

/** A denial after the call takes nothing back. */
function* tooLate(event: EventAccount | undefined): Generator<string> {
  for (const { by, reason } of event ? deniers(event) : [])
    yield `The denial by ${by} came too late and was told to the model${because(reason)}`;
}

type Told = NonNullable<HookAccount['answer']>;

const denies = ({ decision }: Told): boolean => decision === 'deny';

/** Every hook that denied, with its own reason: what the verdict says may hold what others said too. */
function deniers(event: EventAccount): { by: string; reason: string | undefined }[] {
  const { hooks, verdict } = event;
  const denying = hooks.filter(({ answer }) => answer?.status === 'ok' && denies(answer));
  // Of some dialects not every denial stands.
  return denying.some(({ name }) => name === verdict?.by)
    ? denying.map((hook) => ({
        by: described(hook),
        reason: hook.answer?.reason ?? hook.answer?.stopReason,
      }))
    : [{ by: hookNamed(event, verdict?.by, denies) ?? 'a hook', reason: verdict?.reason }];
}

const stopper = (event: EventAccount | undefined): string | undefined =>
  hookNamed(event, event?.verdict?.stopBy, ({ stop }) => stop);

function hookNamed(
  event: EventAccount | undefined,
  name: string | undefined,
  saidSo: (answer: Told) => boolean,
): string | undefined {
  if (name === undefined) return undefined;
  return described({ name, ...(event && hookThat(event, name, saidSo)) });
}

/** Hooks may share a name: the last of them that said so is meant, as the last one's word stands. */
const hookThat = (
  { hooks }: EventAccount,
  name: string,
  saidSo: (answer: Told) => boolean,
): HookAccount | undefined => {
  const ofName = hooks.filter((hook) => hook.name === name);
  return (
    ofName.findLast(({ answer }) => answer?.status === 'ok' && saidSo(answer)) ?? ofName.at(-1)
  );
};

const described = ({ name, source }: Pick<HookAccount, 'name' | 'source'>): string =>
  source === undefined ? `hook "${name}"` : `hook "${name}" (${source})`;

const howMany = (count: number): string => (count === 1 ? '1 hook' : `${count} hooks`);

function explainEvent(event: EventAccount): string[] {
  const { hooks, mode, verdict, status } = event;
  const how = hooks.length < 2 ? '' : mode === 'sequential' ? ', one after another' : ', at once';
  return [
    `${event.event}: ${howMany(hooks.length)}${how}`,
    ...hooks.flatMap((hook, index) => explainHook(hook, index + 1, event)),
    ...(verdict?.conflicts ?? []).map(
      ({ field, hooks: names, winner }) =>
        `  ${names.map((name) => `"${name}"`).join(' and ')} set ${field} differently; "${winner}" won`,
    ),
    `  ${together(event)}`,
    ...(status === 'cancelled' ? ['  the caller gave up before all hooks had spoken'] : []),
  ];
}

function together(event: EventAccount): string {
  if (event.verdict === undefined) return 'together: they had not all spoken';
  const words = [
    ...(isBlocked(event)
      ? [
          `blocked by ${deniers(event)
            .map(({ by }) => by)
            .join(' and ')}`,
        ]
      : []),
    ...(stops(event) ? [`stopped by ${stopper(event) ?? 'a hook'}`] : []),
  ];
  return `together: ${words.length > 0 ? words.join(', and ') : 'it may go on'}`;
}

function explainHook(hook: HookAccount, position: number, event: EventAccount): string[] {
  const { answer } = hook;
  return [
    `  ${position}. ${described(hook)} ${didWhat(hook, event)}${exitOf(hook)}`,
    ...(answer?.notes ?? []).map((note) => `     note: ${note}`),
  ];
}

function didWhat(hook: HookAccount, event: EventAccount): string {
  const { timeout, answer } = hook;
  if (answer === undefined) {
    if (hook.status === 'notStarted') return notRun(event);
    return hook.status === 'running' ? 'had not ended' : 'ended, and was not heard';
  }
  const { status, decision, stop, reason, stopReason, error, sets = [] } = answer;
  switch (status) {
    case 'ok': {
      const words = [
        ...(sets.length > 0
          ? [`set ${sets.map((field) => `${field}${overruled(hook, field, event)}`).join(', ')}`]
          : []),
        ...(decision === 'deny' ? [`denied it${because(reason)}`] : []),
        ...(stop
          ? [`stopped the agent${because(stopReason ?? (denies(answer) ? undefined : reason))}`]
          : []),
        ...(decision === 'ask' ? [`asked, which lets it pass${because(reason)}`] : []),
        ...(decision === 'allow' ? [`allowed it${because(reason)}`] : []),
      ];
      return words.length > 0 ? words.join(' and ') : 'let it pass';
    }
    case 'timedOut':
      return `timed out${timeout === undefined ? '' : ` after ${timeout} ms`} and was passed over`;
    case 'failed':
      return `failed and was passed over${error === undefined ? '' : `: ${error}`}`;
    case 'cancelled':
      return 'was cancelled';
    case 'untrusted':
      return 'was not run: it was no longer trusted';
    default:
      return `ended as ${status}`;
  }
}

function notRun({ status }: EventAccount): string {
  if (status === undefined) return 'had not started';
  return status === 'settled' ? 'was not run: the others had ended it' : 'was not run';
}

/** Whose value stands in place of a hook's. */
function overruled(hook: HookAccount, field: string, event: EventAccount): string {
  const name = event.verdict?.setBy[field];
  if (name === undefined) return '';
  const winner = hookThat(event, name, ({ sets }) => sets?.includes(field) ?? false);
  if (winner === undefined || winner === hook) return '';
  // One of its own name is told by its place.
  const which = name === hook.name ? `${event.hooks.indexOf(winner) + 1}. "${name}"` : `"${name}"`;
  return ` (overruled by ${which})`;
}

function exitOf({ answer }: HookAccount): string {
  if (answer === undefined || answer.status === 'untrusted') return '';
  const { signal, exitCode, durationMs } = answer;
  const exit = signal ?? (exitCode === null ? undefined : `exit ${exitCode}`);
  return ` (${[...(exit === undefined ? [] : [exit]), `${Math.round(durationMs)} ms`].join(', ')})`;
}
