import type { UnaskedHook } from '../../core/definitions/hook-definition.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import type { FireOptions } from './fire-options.ts';
import { unanswered, unjudgedReason } from '../../hosts/parts/denying-answer.ts';
import { findSame, presentDialectsWith } from '../../hosts/all/known.ts';
import { hookPointOf } from '../../core/points/hook-points.ts';
import { oneLine } from '../../base/log.ts';
import { messageOf } from '../../base/message-of.ts';
import type { AggregatedHookResult } from '../../core/answers/results.ts';
import { denyAtExit } from '../parts/deny-at-exit.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { deniedReport, fireReport } from '../../hosts/relay/fire-report.ts';
import { isTerminal } from '../parts/is-terminal.ts';
import { printable, printableJson } from '../parts/printable.ts';
import { folderToWorkIn, projectFolder } from '../parts/project-folder.ts';
import { print, warnAtOnce } from '../parts/print.ts';
import { readEvent } from '../parts/read-stdin.ts';
import type { FiredEvent } from '../../hosts/relay/run-hooks.ts';
import { tellUser } from '../../hosts/relay/has-no-hook.ts';
import { throughHooks } from '../../hosts/relay/through-hooks.ts';
import type { HookReason } from './why-hooks.ts';
import { recordingOf } from '../parts/recording-option.ts';

/**
 * Takes one event through its hooks, prints their verdict, and returns how many ran. Whatever goes wrong at
 * an event about a tool, a prompt or a model's call is a denial. Nothing is loaded for hooks that do not run.
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
  // The folder that it was started in is no option.
  if (cwd !== '.') projectFolder(cwd);
  if (options.sample) {
    const { printSample } = await import('./fire-sample.ts');
    await printSample(name, options, projectFolder(cwd), isTerminal(1));
    return 0;
  }
  const isAskedFor =
    options.hook === undefined
      ? undefined
      : await (
          await import('./hook-asked-for.ts')
        ).hookAskedFor(options.hook, projectFolder(cwd), dialectsFor(options), options.trust);
  if (!hookPointOf(event).needsGuards) return judged(name, options, isAskedFor);
  const isAnswered = denyAtExit((error) => denied(name, error));
  try {
    return await judged(name, options, isAskedFor, exitUnanswered);
  } catch (error) {
    denied(name, error);
    return 0;
  } finally {
    isAnswered();
  }
}

const dialectsFor = ({ dialect, dialects }: FireOptions): readonly Dialect[] =>
  dialects ?? presentDialectsWith(dialect);

/** Prints the denial of an event that could not be judged. */
function denied(name: string, error: unknown): void {
  const reason = unjudgedReason(error);
  process.exitCode = unanswered;
  warnAtOnce(oneLine(`${name} is denied: ${messageOf(error)}`));
  const text = isTerminal(1)
    ? printable(`${name}: denied: ${reason}`)
    : printableJson(deniedReport(name, reason));
  print(`${text}\n`, exitUnanswered);
}

const exitUnanswered = (): void => {
  process.exitCode = unanswered;
};

async function judged(
  name: string,
  options: FireOptions,
  isAskedFor: ((hook: UnaskedHook) => boolean) | undefined,
  onLost?: () => void,
): Promise<number> {
  const { cwd, dialect, sessionId } = options;
  const folder = folderToWorkIn(cwd);
  const wanted = dialectsFor(options);
  const event = dialect.events[name]!;
  const { given, read } = await eventFromStdin(name, dialect);
  const { fields, context, parts } = read;
  // `performance` would have to be loaded first.
  const startedAt = process.hrtime.bigint();
  const session = sessionId ?? sessionIn(given);
  const dialects = read.isOnlyTheirs ? wanted.filter((one) => findSame(one, dialect)) : wanted;
  const fired: FiredEvent = {
    event,
    fields,
    context,
    folder,
    canAsk: true,
    ...(isAskedFor && { runsElsewhere: (hook) => !isAskedFor(hook) }),
    ...(parts && { parts: parts.calls, partsFor: dialect.family }),
  };
  const verdicts = await throughHooks(
    fired,
    dialects,
    { ...options, ...recordingOf(options) },
    session,
  );
  const { isUnread } = verdicts;
  const result = parts
    ? (await import('../../hosts/relay/joined-result.ts')).joinedResult(fired, verdicts, parts)
    : verdicts.result;
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
  const shown = options.why && why;
  const text = isTerminal(1)
    ? (await import('./fire-readable.ts')).readable(name, fields, report, shown)
    : `${printableJson({ ...report, event: name, ...own, ...(shown && { why }) })}\n`;
  print(text, onLost);
  if (!shown) tellSkipped(why);
  return report.hookCount;
}

/** Reads the event on stdin, which has to be one of this dialect. */
async function eventFromStdin(name: string, dialect: Dialect) {
  if (isTerminal(0))
    tellUser(
      `waiting for the fields of ${name} as JSON on stdin, until Ctrl-D; "hookmachine fire ${name} --sample" prints a sample`,
    );
  const { given, fault } = await readEvent();
  if (fault !== undefined) throw new CommandFailure(fault);
  const read = await dialect.readCall(name, given);
  if ('faults' in read)
    throw new CommandFailure(`stdin does not match ${name}: ${read.faults.join('; ')}`);
  return { given, read };
}

/** Says of each hook that the user asked for why it did not run. */
function tellSkipped(reasons: readonly HookReason[] = []): void {
  for (const { hook, why, ran } of reasons)
    if (!ran) tellUser(`hook "${hook}" did not run: ${why}`);
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
    import('../../hosts/all/same-event.ts'),
    import('../../settings/format/unknown-names.ts'),
  ]);
  const same = sameEvent(name, events);
  if (same) return `${same.names.join(' or ')}, or --dialect ${same.dialect}`;
  const names = Object.keys(events);
  return nearestKey(name, names) ?? `one of ${names.join(', ')}`;
}

/** Whether nothing may run until someone has answered. */
const isOpen = ({ verdict: { decision, passesUnasked } }: AggregatedHookResult): boolean =>
  decision === 'defer' || (decision === 'ask' && !passesUnasked);

/** The session that a host's input names: what was reported once in a session is not reported again. */
function sessionIn(given: Readonly<Record<string, unknown>>): string | undefined {
  const id = given['session_id'] ?? given['sessionId'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
