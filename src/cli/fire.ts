import type { UnaskedHook } from '../settings/hook-definition.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { FireOptions } from './fire-options.ts';
import { findSame, presentDialectsWith } from '../dialects/index.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';
import { CommandFailure } from './failure.ts';
import { fireReport } from './fire-report.ts';
import { isTerminal } from './is-terminal.ts';
import { parseJsonObject } from './parse-json-object.ts';
import { printableJson } from './printable.ts';
import { projectFolder } from './project-folder.ts';
import { print } from './print.ts';
import { readStdinFirst } from './read-stdin.ts';
import type { FiredEvent } from './run-hooks.ts';
import { tellUser } from './has-no-hook.ts';
import { throughHooks } from './through-hooks.ts';
import type { HookReason } from './why-hooks.ts';

/**
 * Takes one event through its hooks, prints their verdict, and returns how many ran. Nothing is loaded for
 * hooks that do not run.
 */
export async function fire(name: string, options: FireOptions): Promise<number> {
  const { cwd, dialect, sessionId } = options;
  if (!Object.hasOwn(dialect.events, name))
    throw new CommandFailure(`there is no event "${name}": use ${await meantBy(name, dialect)}`);
  const event = dialect.events[name]!;
  if (sessionId !== undefined && !/^[\w.-]+$/.test(sessionId))
    throw new CommandFailure(
      '--session-id may hold letters, digits, "_", "." and "-" only: hooks use it in file names',
    );
  const folder = projectFolder(cwd);
  const isOnTerminal = isTerminal(1);
  if (options.sample) {
    await (await import('./fire-sample.ts')).printSample(name, options, folder, isOnTerminal);
    return 0;
  }
  const { dialects: wanted = presentDialectsWith(dialect) } = options;
  const isAskedFor =
    options.hook === undefined
      ? undefined
      : await (
          await import('./hook-asked-for.ts')
        ).hookAskedFor(options.hook, folder, wanted, options.trust);
  if (isTerminal(0))
    tellUser(
      `waiting for the fields of ${name} as JSON on stdin, until Ctrl-D; "hookmachine fire ${name} --sample" prints a sample`,
    );
  const given = parseJsonObject(await readStdinFirst(), 'stdin');
  const read = await dialect.readCall(name, given);
  if ('faults' in read)
    throw new CommandFailure(`stdin does not match ${name}: ${read.faults.join('; ')}`);
  const { fields, context } = read;
  // `performance` would have to be loaded first.
  const startedAt = process.hrtime.bigint();
  const session = sessionId ?? sessionIn(given);
  const dialects = read.isOnlyTheirs ? wanted.filter((one) => findSame(one, dialect)) : wanted;
  const { parts } = read;
  const fired: FiredEvent = {
    event,
    fields,
    context,
    folder,
    canAsk: true,
    ...(isAskedFor && { runsElsewhere: (hook) => !isAskedFor(hook) }),
    ...(parts && { parts: parts.calls, partsFor: dialect.family }),
  };
  const came = await throughHooks(fired, dialects, options, session);
  const { isUnread } = came;
  const result = parts
    ? (await import('./joined-result.ts')).joinedResult(fired, came, parts)
    : came.result;
  const durationMs = Number(process.hrtime.bigint() - startedAt) / 1e6;
  const report = await fireReport(event, fields, result, durationMs);
  process.exitCode = report.blocked || report.stop ? 2 : isOpen(result) ? 3 : isUnread ? 1 : 0;
  const { toolResponse, followUps = [] } = result;
  const own = await dialect.reportCall({
    toolName: 'tool_name' in fields ? String(fields.tool_name) : undefined,
    toolInput: report.toolInput,
    toolResponse,
    followUps,
  });
  const why =
    options.why || isAskedFor
      ? await reasonsOf(fired, result, dialects, options, isAskedFor)
      : undefined;
  if (isOnTerminal) {
    const { readable } = await import('./fire-readable.ts');
    print(readable(name, fields, report, options.why && why));
  } else
    print(`${printableJson({ ...report, event: name, ...own, ...(options.why && { why }) })}\n`);
  if (!options.why)
    for (const { hook, why: because, ran } of why ?? [])
      if (!ran) tellUser(`hook "${hook}" did not run: ${because}`);
  return report.hookCount;
}

type Fields = Readonly<Record<string, unknown>>;

/** Why hooks ran or did not: all of them, or only those that the user asked for. */
async function reasonsOf(
  { event, fields, parts = [], folder }: FiredEvent,
  { results }: AggregatedHookResult,
  dialects: readonly Dialect[],
  options: FireOptions,
  isAskedFor: ((hook: UnaskedHook) => boolean) | undefined,
): Promise<readonly HookReason[]> {
  const { whyHooks } = await import('./why-hooks.ts');
  const payloads = [fields, ...parts] as readonly Fields[];
  const ran = results.map(({ hook }) => hook);
  return whyHooks({ event, payloads, ran }, folder, dialects, { ...options, isAskedFor });
}

/** The names that were probably meant: those of the same event, the nearest one, or else all. */
async function meantBy(name: string, { events }: Dialect): Promise<string> {
  const [{ sameEvent }, { nearestKey }] = await Promise.all([
    import('../dialects/same-event.ts'),
    import('../settings/unknown-names.ts'),
  ]);
  const same = sameEvent(name, events);
  if (same) return `${same.names.join(' or ')}, or --dialect ${same.dialect}`;
  const names = Object.keys(events);
  return nearestKey(name, names) ?? `one of ${names.join(', ')}`;
}

/** Whether nothing may run until someone has answered (S-03). */
const isOpen = ({ verdict: { decision, passesUnasked } }: AggregatedHookResult): boolean =>
  decision === 'defer' || (decision === 'ask' && !passesUnasked);

/** The session that a host's input names: what was reported once in a session is not reported again. */
function sessionIn(given: Readonly<Record<string, unknown>>): string | undefined {
  const id = given['session_id'] ?? given['sessionId'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
