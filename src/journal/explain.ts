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
  const { name, machine, status, state, reason } = call;
  const subject = machine === 'agentTurn' ? 'The turn' : name;
  const why = reason === undefined ? '' : `: ${reason}`;
  const by = decider(call);
  switch (status) {
    case undefined:
      return `${subject} had not ended when the recording did${state === undefined ? '' : `; it was in "${state}"`}.`;
    case 'blocked':
      return `${subject} was blocked by ${by ?? 'a hook'}${why}`;
    case 'stopped':
      return by === undefined
        ? `${subject} was stopped${why}`
        : `${subject} ended because ${by} stopped the agent${why}`;
    case 'answered':
      return `${subject} was not asked: ${by ?? 'a hook'} answered in its place${why}`;
    case 'settled':
      return settled(call, subject);
    case 'done':
      return `${subject} ran to its end.`;
    case 'finished':
      return `${subject} ran to its end.`;
    case 'cancelled':
      return `${subject} was cancelled${why}`;
    case 'failed':
      return `${subject} failed${why}`;
    default:
      return `${subject} ended as ${status}${why}`;
  }
}

/** An event by itself: its verdict is how it ended. */
function settled({ events: [event] }: CallAccount, subject: string): string {
  const verdict = event?.verdict;
  if (!verdict?.blocked && !verdict?.stop) return `${subject} went through.`;
  const why = verdict.reason === undefined ? '' : `: ${verdict.reason}`;
  const by = hookNamed(event, verdict.by) ?? 'a hook';
  return verdict.blocked
    ? `${subject} was blocked by ${by}${why}`
    : `${subject}: ${by} stopped the agent${why}`;
}

/** The hook whose word ended the call. */
function decider({ events }: CallAccount): string | undefined {
  const event = events.findLast(({ verdict }) => verdict?.blocked || verdict?.stop);
  return hookNamed(event, event?.verdict?.by);
}

function hookNamed(event: EventAccount | undefined, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const hook = event?.hooks.find((each) => each.name === name);
  return described({ name, ...(hook?.source !== undefined && { source: hook.source }) });
}

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
  const { verdict } = event;
  if (verdict === undefined) return 'together: they had not all spoken';
  const by = hookNamed(event, verdict.by) ?? 'a hook';
  const words = [
    ...(verdict.blocked ? [`blocked by ${by}`] : []),
    ...(verdict.stop ? [verdict.blocked ? 'and the agent is to stop' : `stopped by ${by}`] : []),
  ];
  return `together: ${words.length > 0 ? words.join(' ') : 'it may go on'}`;
}

function explainHook(hook: HookAccount, position: number, event: EventAccount): string[] {
  const { answer } = hook;
  return [
    `  ${position}. ${described(hook)} ${didWhat(hook, event)}${exitOf(hook)}`,
    ...(answer?.notes ?? []).map((note) => `     note: ${note}`),
  ];
}

function didWhat({ name, timeout, status, answer }: HookAccount, event: EventAccount): string {
  if (answer === undefined) {
    if (status === 'notStarted')
      return event.status === undefined
        ? 'had not started'
        : 'was not run: the others had ended it';
    return status === 'running' ? 'had not ended' : 'ended, and was not heard';
  }
  const { fared, decision, stop, reason, error, sets = [] } = answer;
  const why = reason === undefined ? '' : `: ${reason}`;
  switch (fared) {
    case 'ok': {
      const overruled = (field: string): string => {
        const winner = event.verdict?.setBy[field];
        return winner === undefined || winner === name
          ? field
          : `${field} (overruled by "${winner}")`;
      };
      const words = [
        ...(sets.length > 0 ? [`set ${sets.map(overruled).join(', ')}`] : []),
        ...(decision === 'deny' ? [`denied it${stop ? '' : why}`] : []),
        ...(stop ? [`stopped the agent${why}`] : []),
        ...(decision === 'allow' || decision === 'ask' ? [`allowed it${stop ? '' : why}`] : []),
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
      return `ended as ${fared}`;
  }
}

function exitOf({ answer }: HookAccount): string {
  if (answer === undefined || answer.fared === 'untrusted') return '';
  const { signal, exitCode, durationMs } = answer;
  const exit = signal ?? (exitCode === null ? undefined : `exit ${exitCode}`);
  return ` (${[...(exit === undefined ? [] : [exit]), `${Math.round(durationMs)} ms`].join(', ')})`;
}
