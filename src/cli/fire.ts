import type { DialectOutline } from '../dialects/dialect.ts';
import { defaultOutlinesWith } from '../dialects/outlines.ts';
import { subjectOf } from '../hooks/hook-planner.ts';
import { makeEmptySuccessResult, type AggregatedHookResult } from '../hooks/results.ts';
import { CommandFailure } from './failure.ts';
import { fireReport } from './fire-report.ts';
import { hasNoHook } from './has-no-hook.ts';
import { parseJsonObject } from './parse-json-object.ts';
import { printableJson } from './printable.ts';
import { projectFolder } from './project-folder.ts';
import { print } from './print.ts';
import { readStdinFirst } from './read-stdin.ts';
import type { RecordingOptions } from './recording-option.ts';
import type { FiredEvent } from './run-hooks.ts';

/** What `fire` was asked beside the event. */
export interface FireOptions extends RecordingOptions {
  readonly cwd: string;
  readonly dialect: DialectOutline;
  readonly dialects?: readonly DialectOutline[];
  readonly hooks: boolean;
  readonly sessionId?: string;
  readonly trust?: true;
}

/** Takes one event through its hooks, prints their verdict, and tells how many ran. Nothing is loaded for hooks that do not run. */
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
  const result = await throughHooks({ event, fields, context, folder }, options);
  const durationMs = Number(process.hrtime.bigint() - startedAt) / 1e6;
  const report = await fireReport(event, fields, result, durationMs);
  process.exitCode = report.blocked || report.stop ? 2 : 0;
  const { toolResponse, followUps = [] } = result;
  const own = await dialect.reportCall({
    toolName: 'tool_name' in fields ? fields.tool_name : undefined,
    toolInput: report.toolInput,
    toolResponse,
    followUps,
  });
  print(`${printableJson({ ...report, event: name, ...own })}\n`);
  return report.hookCount;
}

async function throughHooks(
  fired: FiredEvent,
  options: FireOptions,
): Promise<AggregatedHookResult> {
  const { event, fields, folder } = fired;
  const {
    dialect,
    dialects = defaultOutlinesWith(dialect),
    hooks,
    record,
    recordPayloads,
  } = options;
  // Hooks that know no such event need not be found.
  const meant = dialects.filter(({ events }) => Object.values(events).includes(event));
  const isRecorded = record !== undefined || recordPayloads === true;
  const subject = subjectOf(event, fields);
  if (!isRecorded && (await hasNoHook(folder, meant, hooks, event, subject)))
    return makeEmptySuccessResult();
  // A process that they need is under way while they are loaded.
  const { orderFifos } = await import('../process/fifos.ts');
  orderFifos();
  const { runHooks } = await import('./run-hooks.ts');
  return runHooks(fired, meant, options);
}
