import type { Command } from 'commander';
import { createConfig } from '../hooks/create-config.ts';
import { makeEmptySuccessResult } from '../hooks/results.ts';
import { checkEventFields } from '../protocol/event-fields.ts';
import { hookEventNames, isHookEventName } from '../protocol/events.ts';
import { isRecord } from '../protocol/output.ts';
import { normalizeHookLLMRequest } from '../translate/genai-v1.ts';
import { CommandFailure } from './failure.ts';
import { fireReport } from './fire-report.ts';
import { parseJsonObject } from './parse-json-object.ts';
import { projectFolder } from './project-folder.ts';
import { readStdin } from './read-stdin.ts';
import { onlyTrusted, trustOption } from './trust-option.ts';

interface Options {
  readonly cwd: string;
  readonly sessionId?: string;
  readonly trust?: true;
}

/** `hookmachine fire <Event>`: one event through its hooks, for agents in any language. */
export function addFire(program: Command): void {
  program
    .command('fire')
    .argument('<event>', `one of ${hookEventNames.join(', ')}`)
    .description(
      "run the hooks of one event: the event's fields as JSON on stdin, the verdict as JSON on stdout",
    )
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option('--session-id <id>', 'the session that hooks are told of (default: a new one)')
    .option(...trustOption)
    .addHelpText(
      'after',
      `
Exit status: 0 allowed, 2 blocked or stopped, 1 the command could not do its work.
AfterTool, AfterModel and BeforeToolSelection come too late to block: there a block
is told, for the model or the log, and undoes nothing.

Example:
  echo '{"tool_name":"write_file","tool_input":{"file_path":"a.txt"}}' | hookmachine fire BeforeTool`,
    )
    .action(fire);
}

async function fire(event: string, { cwd, sessionId, trust }: Options): Promise<void> {
  if (!isHookEventName(event))
    throw new CommandFailure(
      `there is no event "${event}": use one of ${hookEventNames.join(', ')}`,
    );
  if (sessionId !== undefined && !/^[\w.-]+$/.test(sessionId))
    throw new CommandFailure(
      '--session-id may hold letters, digits, "_", "." and "-" only: hooks use it in file names',
    );
  const folder = projectFolder(cwd);
  const given = parseJsonObject(await readStdin(), 'stdin');
  const checked = checkEventFields(event, withStableRequest(given));
  if ('faults' in checked)
    throw new CommandFailure(`stdin does not fit ${event}: ${checked.faults.join('; ')}`);
  const config = createConfig({
    cwd: folder,
    ...onlyTrusted(folder, trust),
    ...(sessionId !== undefined && { sessionId }),
  });
  const startedAt = performance.now();
  const system = config.getHookSystem();
  await system?.initialize();
  const result =
    (await system?.getEventHandler().fire(event, checked.fields)) ?? makeEmptySuccessResult();
  const report = fireReport(event, checked.fields, result, performance.now() - startedAt);
  process.exitCode = report.blocked || report.stop ? 2 : 0;
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

/** Hooks see requests in one form only; seed 003's `contents` is brought into it (C-71). */
function withStableRequest(given: Readonly<Record<string, unknown>>) {
  const request = given['llm_request'];
  if (!isRecord(request) || 'messages' in request || !('contents' in request)) return given;
  const { contents: _, generationConfig: __, systemInstruction: ___, ...rest } = request;
  return { ...given, llm_request: { ...rest, ...normalizeHookLLMRequest(request).request } };
}
