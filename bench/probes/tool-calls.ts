import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as calls from '../../dist/src/core/calls/run-tool-call.js';
import { startHookSystem } from '../contestants/gemini-cli-core.ts';
import { distFolder, loadEngine, loadXState } from '../engine.ts';
import { toolInput } from '../scenario.ts';
import { median, quantile } from '../statistics.ts';

const result = { llmContent: 'ok', returnDisplay: 'ok' };
const execute = async () => result;

type Call = () => Promise<unknown>;

/** A value for code whose types are only there once it is built and installed. */
const untyped = (value: unknown): never => value as never;

/**
 * Measures whole tool calls whose hooks are functions, in µs of processor time, taking turns: ours without and
 * with a hook, and with an observer; XState's own flat tool call, which invokes two promises; the same chart
 * with rules that do nothing; and the published engine's event with a hook in its process.
 */
export async function toolCalls(rounds: number): Promise<Record<string, number>> {
  const least = await leastCalls();
  return taken(
    {
      flat: await flatCall(),
      none: await ourCall(false),
      'none-least': least.none,
      one: await ourCall(true),
      'one-least': least.one,
      watched: await ourCall(true, { inspect: () => undefined }),
      'watched-least': least.watched,
      published: await publishedEvent(),
    },
    rounds,
  );
}

interface FlatCall {
  readonly allowed: boolean | undefined;
  readonly result: object | undefined;
}

/** A tool call as one would write it with XState alone: a guard, and then the tool. */
async function flatCall(): Promise<Call> {
  const { assign, createActor, fromPromise, setup, toPromise } = await loadXState();
  const machine = setup({
    types: { context: {} as FlatCall },
    actors: { guard: fromPromise(async () => true), tool: fromPromise(execute) },
    actions: {
      keepAnswer: assign({ allowed: (_, allowed: boolean) => allowed }),
      keepResult: assign({ result: (_, given: object) => given }),
    },
    guards: { isDenied: ({ context }) => context.allowed !== true },
  }).createMachine({
    context: { allowed: undefined, result: undefined },
    initial: 'guarding',
    states: {
      guarding: {
        invoke: {
          src: 'guard',
          onDone: {
            target: 'judging',
            actions: { type: 'keepAnswer', params: ({ event }) => event.output },
          },
          onError: 'judging',
        },
      },
      judging: { always: [{ guard: 'isDenied', target: 'done' }, { target: 'running' }] },
      running: {
        invoke: {
          src: 'tool',
          onDone: {
            target: 'done',
            actions: { type: 'keepResult', params: ({ event }) => event.output },
          },
          onError: 'done',
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.result,
  });
  return () => {
    const actor = createActor(machine);
    const ended = toPromise(actor);
    actor.start();
    return ended;
  };
}

const functionHook = { type: 'function', call: () => undefined };

async function ourCall(hasHook: boolean, watching: object = {}): Promise<Call> {
  const { createConfig, executeToolWithHooks } = await loadEngine();
  const hooks = hasHook ? { BeforeTool: [{ hooks: [functionHook] }] } : {};
  const settings = { tools: { enableHooks: true }, hooks };
  const config = createConfig({ cwd: process.cwd(), settings: untyped(settings), ...watching });
  return () => executeToolWithHooks(config, 'write_file', toolInput, execute);
}

const load = async <Module>(path: string): Promise<Module> =>
  (await import(pathToFileURL(join(distFolder, 'src', path)).href)) as Module;

/** What steps through a chart without XState's actors; its own types are not published. */
interface Stepping {
  readonly Steps: new (
    chart: unknown,
    input: object,
    listener: Readonly<Record<'ended' | 'broke' | 'send', (value: unknown) => void>>,
  ) => { start(): void };
}

/** Our charts with rules that do nothing: what is left of a call without the engine around them. */
async function leastCalls(): Promise<Record<'none' | 'one' | 'watched', Call>> {
  const { createActor, toPromise } = await loadXState();
  const { Steps } = await load<Stepping>('core/run/steps.js');
  const { toolCall } = await load<typeof calls>('core/calls/run-tool-call.js');
  const exit = { exitCode: 0, signal: null, stdout: '', stderr: '', truncated: [], durationMs: 0 };
  const command = {
    command: '',
    cwd: '/',
    env: {},
    stdin: () => '',
    run: ({ sendBack }: { sendBack: (report: object) => void }) => {
      sendBack({ type: 'process.started' });
      void Promise.resolve().then(() => sendBack({ type: 'process.closed', exit }));
    },
  };
  const event = {
    event: 'BeforeTool',
    hooks: [{ name: '' }],
    lanes: [{ dialect: '', mode: 'parallel', positions: [0] }],
    payload: {},
    rules: {
      prepare: () => ({ name: '', timeout: 60_000, command }),
      read: () => ({ decision: undefined, stop: false, status: 'ok' }),
      merge: () => ({ blocked: false, stop: false }),
    },
    reports: { answered: () => undefined, decided: () => undefined },
  };
  const ports = {
    rewrite: (input: object) => input,
    execute,
    failure: (error: unknown) => ({ error }),
  };
  const input = { id: '1', toolName: 'write_file', toolInput, ports };
  const hooked = { ...input, ports: { ...ports, hooksBefore: () => event } };
  const stepped = (given: object): Promise<unknown> =>
    new Promise((ended, broke) => {
      new Steps(toolCall, given, { ended, broke, send: () => undefined }).start();
    });
  return {
    none: () => stepped(input),
    one: () => stepped(hooked),
    watched: () => {
      const actor = createActor(toolCall, { input: untyped(hooked), inspect: () => undefined });
      const ended = toPromise(actor);
      actor.start();
      return ended;
    },
  };
}

/** The published engine's event before a tool, with a hook of its own kind in its process. */
async function publishedEvent(): Promise<Call> {
  // It logs each event, which nobody reads here.
  for (const log of ['debug', 'log', 'warn'] as const) console[log] = () => undefined;
  const system = (await startHookSystem(process.cwd(), true, {}))!;
  const hook = { type: 'runtime', name: 'guard', action: async () => undefined };
  system.registerHook(untyped(hook), untyped('BeforeTool'));
  return () => system.getEventHandler().fireBeforeToolEvent('write_file', toolInput);
}

/** The median of each in µs of processor time, and of its share of the flat call, with the range of most. */
async function taken(
  runs: Readonly<Record<string, Call>>,
  rounds: number,
): Promise<Record<string, number>> {
  const times = new Map(Object.keys(runs).map((name) => [name, [] as number[]]));
  const perRound = 500;
  // V8 compiles in the first rounds.
  for (let round = -3; round < rounds; round++)
    for (const [name, run] of Object.entries(runs)) {
      const before = process.cpuUsage();
      for (let index = 0; index < perRound; index++) await run();
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) times.get(name)!.push((user + system) / perRound);
    }
  const flat = times.get('flat')!;
  return Object.fromEntries(
    [...times].flatMap(([name, all]) => {
      const shares = all.map((time, round) => time / flat[round]!);
      return [
        [name, median(all)],
        [`${name}-share`, median(shares)],
        [`${name}-low`, quantile(shares, 0.1)],
        [`${name}-high`, quantile(shares, 0.9)],
      ];
    }),
  );
}
