import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Agent,
  type AgentInputItem,
  type RunResult,
  type RunState,
  Runner,
  type RunStreamEvent,
  setTracingDisabled,
  type StreamedRunResult,
  tool,
  type Tool,
} from '@openai/agents';
import {
  assistantMessage,
  functionCall,
  ScriptedModel,
  type ScriptedModelInput,
} from '@openai/agents/testing';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type OpenAiAgentsOptions, withHooks } from '../../../../src/entries/openai-agents.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

setTracingDisabled(true);

export type Mode = 'whole' | 'streamed';
export const modes: readonly Mode[] = ['whole', 'streamed'];

/** Hooks by event: a command for all, or commands by matcher. */
export type Hooks = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** A hook that prints an answer. */
export const print = (answer: object): string => `echo '${JSON.stringify(answer)}'`;
export const deny = (reason: string): string => `echo '${reason}' >&2; exit 2`;
/** A hook that appends its input to a file, one line each. */
export const note = (file: string): string => `{ cat; echo; } >> ${file}`;

/** A project folder with these hooks. */
export function projectWith(hooks: Hooks, dialect = 'llxprt'): string {
  const folder = tempFolder();
  mkdirSync(join(folder, `.${dialect}`), { recursive: true });
  const groups = Object.entries(hooks).map(([event, commands]) => [
    event,
    Object.entries(typeof commands === 'string' ? { '': commands } : commands).map(
      ([matcher, command]) => ({
        ...(matcher !== '' && { matcher }),
        hooks: [{ type: 'command', command }],
      }),
    ),
  ]);
  const settings = { tools: { enableHooks: true }, hooks: Object.fromEntries(groups) };
  writeFileSync(join(folder, `.${dialect}/settings.json`), JSON.stringify(settings));
  return folder;
}

/** What hooks appended to a file, by line. */
export function notes<Fields extends object = Record<string, unknown>>(
  folder: string,
  file: string,
): Fields[] {
  const path = join(folder, file);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Fields);
}

// oxlint-disable-next-line typescript/no-explicit-any -- as the SDK's own types have it
export type AnyAgent = Agent<any, any>;

/** The outcome of a run, and everything that was shown of it. */
export interface Ran {
  readonly output: unknown;
  readonly events: readonly RunStreamEvent[];
  readonly result: RunResult<undefined, AnyAgent> | StreamedRunResult<undefined, AnyAgent>;
}

/** Runs an agent in one of the two ways, to its end. */
export async function runIn(
  mode: Mode,
  runner: Runner,
  agent: AnyAgent,
  input: string | AgentInputItem[] | RunState<undefined, AnyAgent>,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Ran> {
  if (mode === 'whole') {
    const result = await runner.run<AnyAgent>(agent, input, options);
    return { output: result.finalOutput, events: [], result };
  }
  const result = await runner.run<AnyAgent>(agent, input, { ...options, stream: true });
  const events: RunStreamEvent[] = [];
  for await (const event of result) events.push(event);
  await result.completed;
  return { output: result.finalOutput, events, result };
}

/** A tool that runs this function. */
export const toolOf = (
  name: string,
  run: (input: { path: string }) => unknown = () => 'done',
  more: object = {},
): Tool =>
  tool({
    name,
    description: name,
    parameters: z.object({ path: z.string() }),
    execute: async (input) => run(input),
    ...more,
  });

export interface Setup {
  readonly hooks?: Hooks;
  /**
   * The dialect in which the hooks answer; LLxprt's lets a call pass if a hook wants the user asked about it.
   */
  readonly dialect?: 'llxprt' | 'hookmachine';
  readonly script: readonly ScriptedModelInput[];
  readonly tools?: readonly Tool[];
  readonly options?: OpenAiAgentsOptions;
  readonly agent?: object;
}

/** An agent with hooks around it, in a project of its own. */
export function setup({
  hooks = {},
  dialect,
  script,
  tools,
  options = {},
  agent: more = {},
}: Setup) {
  const cwd = projectWith(hooks, dialect);
  const ran: { name: string; input: { path: string } }[] = [];
  const noting = (name: string): Tool =>
    toolOf(name, (input) => {
      ran.push({ name, input });
      return 'done';
    });
  const model = new ScriptedModel([...script]);
  const agent = new Agent({
    name: 'A',
    instructions: 'Help.',
    model,
    tools: [...(tools ?? [noting('read'), noting('write')])],
    ...more,
  });
  const said = { warnings: [] as string[], stops: [] as string[], blocked: [] as object[] };
  const runner = withHooks(new Runner(), {
    cwd,
    agents: [agent],
    onWarning: (line) => void said.warnings.push(line),
    onStop: (reason) => void said.stops.push(reason),
    onBlocked: (blocked) => void said.blocked.push(blocked),
    ...options,
  });
  onTestFinished(() => runner.end());
  return { cwd, agent, model, runner, ran, ...said };
}

export const call = (name: string, path: string, callId = 'call_1') =>
  functionCall(name, { path }, { callId });
export const says = assistantMessage;

/** The results that a model was given last, by call id. */
export function resultsIn(
  model: ScriptedModel,
  index = model.calls.length - 1,
): Record<string, string> {
  const { input } = model.calls[index]!.request;
  if (typeof input === 'string') return {};
  return Object.fromEntries(
    input.flatMap((item) => {
      if (item.type !== 'function_call_result') return [];
      const { output } = item;
      const texts = [output]
        .flat()
        .map((piece) => (typeof piece === 'string' ? piece : 'text' in piece ? piece.text : ''));
      return [[item.callId, texts.join('|')]];
    }),
  );
}

/** All texts that were shown, including deltas and provider events. */
export const shown = (events: readonly RunStreamEvent[]): string =>
  JSON.stringify(
    events.map((event) =>
      event.type === 'raw_model_stream_event'
        ? event.data
        : event.type === 'run_item_stream_event'
          ? event.item.rawItem
          : event.type,
    ),
  );

/** What a hook wrote into a file, once it is there. */
export async function expectFile(folder: string, file: string): Promise<string> {
  const path = join(folder, file);
  await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8').trim()).toBeTruthy();
  return readFileSync(path, 'utf8').trim();
}

export function isAlive(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
}
