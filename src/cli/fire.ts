import type { FireOptions } from './fire-options.ts';
import { presentDialectsWith } from '../dialects/index.ts';
import { subjectOf } from '../hooks/hook-planner.ts';
import { makeEmptySuccessResult, type AggregatedHookResult } from '../verdict/results.ts';
import { CommandFailure } from './failure.ts';
import { fireReport } from './fire-report.ts';
import { folderTrust } from './folder-trust.ts';
import { hasNoHook, tellUser } from './has-no-hook.ts';
import { whichHooks } from './no-hooks-option.ts';
import { parseJsonObject } from './parse-json-object.ts';
import { printableJson } from './printable.ts';
import { projectFolder } from './project-folder.ts';
import { print } from './print.ts';
import { readStdinFirst } from './read-stdin.ts';
import { reportMissingGuards } from './report-missing.ts';
import type { Fired, FiredEvent } from './run-hooks.ts';
import { sessionNotes } from './session-notes.ts';

/** Takes one event through its hooks, prints their verdict, and returns how many ran. Nothing is loaded for hooks that do not run. */
export async function fire(name: string, options: FireOptions): Promise<number> {
  const { cwd, dialect, sessionId } = options;
  if (!Object.hasOwn(dialect.events, name))
    throw new CommandFailure(
      `there is no event "${name}": use one of ${Object.keys(dialect.events).join(', ')}`,
    );
  const event = dialect.events[name]!;
  if (sessionId !== undefined && !/^[\w.-]+$/.test(sessionId))
    throw new CommandFailure(
      '--session-id may hold letters, digits, "_", "." and "-" only: hooks use it in file names',
    );
  const folder = projectFolder(cwd);
  const given = parseJsonObject(await readStdinFirst(), 'stdin');
  const read = await dialect.readCall(name, given);
  if ('faults' in read)
    throw new CommandFailure(`stdin does not fit ${name}: ${read.faults.join('; ')}`);
  const { fields, context } = read;
  // `performance` would be loaded for it.
  const startedAt = process.hrtime.bigint();
  const session = sessionId ?? sessionIn(given);
  const fired = { event, fields, context, folder };
  const { result, isUnread } = await throughHooks(fired, options, session);
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
  print(`${printableJson({ ...report, event: name, ...own })}\n`);
  return report.hookCount;
}

/** Whether nothing may run before somebody has answered (S-03). */
const isOpen = ({ verdict: { decision, passesUnasked } }: AggregatedHookResult): boolean =>
  decision === 'defer' || (decision === 'ask' && !passesUnasked);

/** A host's own input names its session: what a session is told once is not told again. */
function sessionIn({ session_id: id }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof id === 'string' && id !== '' ? id : undefined;
}

async function throughHooks(
  fired: FiredEvent,
  options: FireOptions,
  session: string | undefined,
): Promise<Fired> {
  const { event, fields, folder } = fired;
  const {
    dialect,
    dialects = presentDialectsWith(dialect),
    hooks,
    record,
    recordPayloads,
    trust,
  } = options;
  // Hooks that know no such event need not be found.
  const meant = dialects.filter(({ events }) => Object.values(events).includes(event));
  if (hooks) await reportMissingGuards(folder, session);
  const isRecorded = record !== undefined || recordPayloads === true;
  const subject = subjectOf(event, fields);
  const onNote = sessionNotes(tellUser, session);
  if (!isRecorded) {
    const look = { cwd: folder, onNote, ...whichHooks(hooks), ...folderTrust(folder, trust) };
    const { hasNone, isUnread } = await hasNoHook(look, meant, event, subject);
    if (hasNone) return { result: makeEmptySuccessResult(), isUnread };
  }
  // A process that they need is under way while they are loaded.
  const { orderFifos } = await import('../process/index.ts');
  orderFifos();
  const { runHooks } = await import('./run-hooks.ts');
  return runHooks(fired, meant, options, onNote);
}
