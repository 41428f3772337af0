import type { EventAccount, HookAccount } from './account.ts';

/**
 * Lists how an event's hooks now behave differently from the recording, one line each; empty if nothing
 * differs.
 */
export function compareEvents(recorded: EventAccount, now: EventAccount): string[] {
  const left = [...now.hooks];
  const lines: string[] = [];
  for (const before of recorded.hooks) {
    const at = left.findIndex((hook) => isSame(before, hook));
    const [after] = at < 0 ? [] : left.splice(at, 1);
    lines.push(...differences(before, after).map((text) => `hook "${before.name}" ${text}`));
  }
  lines.push(...left.map(({ name }) => `hook "${name}" did not run then, but runs now`));
  if (recorded.verdict) lines.push(...change('together', verdictOf(recorded), verdictOf(now)));
  return lines;
}

const isSame = (one: HookAccount, other: HookAccount): boolean =>
  one.name === other.name && one.source === other.source && one.dialect === other.dialect;

function differences(
  { answer: before }: HookAccount,
  after: HookAccount | undefined,
): readonly string[] {
  if (after === undefined) return ['ran then, but does not run now'];
  const now = after.answer;
  if (before === undefined || now === undefined)
    return before === now ? [] : [before ? 'has not answered now' : 'had not answered then'];
  return [
    ...change('status', before.status, now.status),
    ...change('decision', before.decision, now.decision),
    ...change('stop', before.stop, now.stop),
    ...change('reason', before.reason, now.reason),
    ...change('error', before.error, now.error),
    ...change('exit', before.signal ?? before.exitCode, now.signal ?? now.exitCode),
    ...change('output', before.payload?.output, now.payload?.output),
  ];
}

function verdictOf({ verdict, hooks }: EventAccount): string {
  if (verdict === undefined) return hooks.length === 0 ? 'passed' : 'no verdict';
  const { blocked, stop, ask, defer } = verdict;
  const words = [blocked && 'blocked', stop && 'stopped', ask && 'asked', defer && 'deferred'];
  return words.filter((word) => word !== false && word !== undefined).join(' and ') || 'passed';
}

function change(what: string, before: unknown, now: unknown): string[] {
  const [one, other] = [before, now].map((value) => JSON.stringify(value) ?? 'none');
  return one === other ? [] : [`${what}: ${one} then, ${other} now`];
}
