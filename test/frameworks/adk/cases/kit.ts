import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BaseLlm,
  type BaseTool,
  type Event,
  FunctionTool,
  InMemoryRunner,
  LlmAgent,
  type LlmRequest,
  type LlmResponse,
  LogLevel,
  type Runner,
  setLogLevel,
  StreamingMode,
} from '@google/adk';
import type { Content, Part } from '@google/genai';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type AdapterOptions, HooksPlugin } from '../../../../src/entries/adk.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

setLogLevel(LogLevel.ERROR);

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

/** What a model answers: once, or every time. */
type Scripted = readonly Part[] | Error | ((request: LlmRequest) => readonly Part[]);

/** A model that answers from a script; if it is streamed, a text first comes word by word. */
export class ScriptedLlm extends BaseLlm {
  readonly requests: LlmRequest[] = [];
  readonly #script: Scripted[];
  /** Awaited after each piece of a stream. */
  pause: Promise<void> | undefined;

  constructor(script: readonly Scripted[]) {
    super({ model: 'scripted' });
    this.#script = [...script];
  }

  override async *generateContentAsync(
    request: LlmRequest,
    stream?: boolean,
  ): AsyncGenerator<LlmResponse, void> {
    this.requests.push({ ...request, contents: structuredClone(request.contents) });
    const [first] = this.#script;
    const next = typeof first === 'function' ? first(request) : this.#script.shift();
    if (next === undefined) throw new Error('nothing is scripted');
    if (next instanceof Error) throw next;
    if (typeof next === 'function') return;
    const parts = structuredClone(next) as Part[];
    if (stream)
      for (const text of parts.flatMap((part) => part.text?.match(/\S+\s*/g) ?? [])) {
        yield { partial: true, content: { role: 'model', parts: [{ text }] } };
        await this.pause;
      }
    yield { content: { role: 'model', parts } };
  }

  override connect(): never {
    throw new Error('not here');
  }
}

export const says = (text: string): Part => ({ text });
export const call = (name: string, path: string, id?: string): Part => ({
  functionCall: { name, args: { path }, ...(id !== undefined && { id }) },
});

export const toolOf = (
  name: string,
  run: (input: { path: string }) => unknown = () => 'done',
  more: object = {},
): BaseTool =>
  new FunctionTool({
    name,
    description: name,
    parameters: z.object({ path: z.string() }),
    execute: async (input) => run(input),
    ...more,
  });

export interface Setup {
  readonly hooks?: Hooks;
  readonly dialect?: 'llxprt' | 'hookmachine';
  readonly script?: readonly Scripted[];
  readonly tools?: readonly BaseTool[];
  readonly options?: AdapterOptions;
  readonly agent?: object;
}

/** An agent in a runner with hooks, in a project of its own. */
export function setup({ hooks = {}, dialect, script = [], tools, options, agent: more }: Setup) {
  const cwd = projectWith(hooks, dialect);
  const ran: { name: string; input: { path: string } }[] = [];
  const noting = (name: string): BaseTool =>
    toolOf(name, (input) => {
      ran.push({ name, input });
      return 'done';
    });
  const model = new ScriptedLlm(script);
  const agent = new LlmAgent({
    name: 'A',
    model,
    tools: [...(tools ?? [noting('read'), noting('write')])],
    ...more,
  });
  const said = { warnings: [] as string[], stops: [] as string[], blocked: [] as object[] };
  const plugin = new HooksPlugin({
    cwd,
    onWarning: (line) => void said.warnings.push(line),
    onStop: (reason) => void said.stops.push(reason),
    onBlocked: (blocked) => void said.blocked.push(blocked),
    ...options,
  });
  const runner = new InMemoryRunner({ agent, appName: 'test', plugins: [plugin] });
  onTestFinished(() => plugin.end());
  return { cwd, agent, model, runner, plugin, ran, ...said };
}

/** The outcome of a run. */
export interface Ran {
  readonly events: readonly Event[];
  /** The last text that is not a piece of a stream. */
  readonly output: string;
  readonly sessionId: string;
}

export async function runIn(
  mode: Mode,
  runner: Runner,
  message: string | Content,
  { sessionId, abortSignal }: { sessionId?: string; abortSignal?: AbortSignal } = {},
): Promise<Ran> {
  const session =
    sessionId ?? (await runner.sessionService.createSession({ appName: 'test', userId: 'u' })).id;
  const events: Event[] = [];
  for await (const event of runner.runAsync({
    userId: 'u',
    sessionId: session,
    newMessage:
      typeof message === 'string' ? { role: 'user', parts: [{ text: message }] } : message,
    runConfig: { streamingMode: mode === 'streamed' ? StreamingMode.SSE : StreamingMode.NONE },
    ...(abortSignal && { abortSignal }),
  }))
    events.push(event);
  const texts = events.flatMap(({ content, partial }) => {
    const text = (content?.parts ?? []).map((part) => part.text ?? '').join('');
    return partial || text === '' ? [] : [text];
  });
  return { events, output: texts.at(-1) ?? '', sessionId: session };
}

/** The results that a model was given last, by tool name. */
export function resultsIn({ requests }: ScriptedLlm): Record<string, unknown> {
  return Object.fromEntries(
    (requests.at(-1)?.contents ?? []).flatMap(({ parts = [] }) =>
      parts.flatMap(({ functionResponse }) =>
        functionResponse ? [[functionResponse.name, functionResponse.response]] : [],
      ),
    ),
  );
}

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
