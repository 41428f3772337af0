/**
 * `npm start`: a list of real tool calls in a copy of `examples/guarded-project`, and for each the
 * states it went through, its hooks and its outcome.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import type { InspectionEvent } from 'xstate';
import {
  builtInTools,
  createConfig,
  ToolScheduler,
  type CompletedToolCall,
  type HookExecutionResult,
} from '../src/index.ts';

const calls = [
  ['write_file', { file_path: 'src/config.js', content: 'const key = "AKIAIOSFODNN7EXAMPLE";\n' }],
  ['write_file', { file_path: 'src/config.js', content: 'const key = process.env.AWS_KEY;\n' }],
  ['run_shell_command', { command: 'rm notes.txt', description: 'Tidy up' }],
  ['list_directory', { path: '.' }],
  ['read_file', { file_path: 'src/greet.js' }],
  ['run_shell_command', { command: 'echo deploy --production' }],
] as const;

const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
  process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText(style, text) : text;

/** The states of each tool call's machine, as the one observer of all machines sees them. */
const states = new Map<string, string[]>();
function inspect(event: InspectionEvent): void {
  if (event.type !== '@xstate.snapshot' || event.actorRef.sessionId !== event.rootId) return;
  const { value, context } = event.snapshot as unknown as {
    value: string;
    context: { id: string };
  };
  const path = states.get(context.id) ?? [];
  if (path.at(-1) !== value) states.set(context.id, [...path, value]);
}

function describe(call: CompletedToolCall, number: number): string {
  const { request, outcome, toolResult, stop } = call;
  const colours = { done: 'green', blocked: 'red', stopped: 'yellow', cancelled: 'gray' } as const;
  const lines = [
    `${paint('bold', `${number}. ${request.name}`)} ${JSON.stringify(request.input)}`,
    `   states   ${(states.get(request.id) ?? []).join(' → ')}`,
    ...[...(call.before?.results ?? []), ...(call.after?.results ?? [])].map(describeHook),
    ...(outcome.toolInput === request.input
      ? []
      : [`   the tool ran with ${JSON.stringify(outcome.toolInput)}`]),
    `   outcome  ${paint(colours[outcome.status], outcome.status)}`,
    `   the model reads ${JSON.stringify(toolResult.llmContent)}`,
    `   the user sees ${toolResult.suppressDisplay ? 'nothing (suppressOutput)' : JSON.stringify(toolResult.returnDisplay)}`,
    ...(stop ? [`   ${paint('yellow', 'the agent stops:')} ${stop.reason}`] : []),
  ];
  return `${lines.join('\n')}\n\n`;
}

function describeHook(result: HookExecutionResult): string {
  const { hook, event, fared, exitCode, signal, durationMs, output, error } = result;
  const exit = `exit ${signal ?? exitCode ?? 'none'}`;
  const said = error ? paint('yellow', `${fared}: ${error.message}`) : JSON.stringify(output ?? {});
  return `   ${event.padEnd(10)} ${hook.name.padEnd(12)} ${exit.padEnd(12)} ${`${Math.round(durationMs)} ms`.padStart(7)}  ${said}`;
}

const project = mkdtempSync(join(tmpdir(), 'guarded-project-'));
try {
  cpSync(new URL('guarded-project', import.meta.url), project, { recursive: true });
  const config = createConfig({ cwd: project, inspect });
  let number = 0;
  const scheduler = new ToolScheduler({
    config,
    tools: builtInTools(),
    onCompleted: (call) => process.stdout.write(describe(call, ++number)),
  });
  // As a model would ask: a few calls an answer, until a hook stops the agent.
  const answers = [calls.slice(0, 1), calls.slice(1, 3), calls.slice(3)];
  for (const answer of answers) {
    const { stop } = await scheduler.schedule(
      answer.map(([name, input], index) => ({ id: `${number + index + 1}`, name, input })),
    );
    if (stop) break;
  }
} finally {
  rmSync(project, { recursive: true });
}
