import { createActor, fromCallback, toPromise } from 'xstate';
import {
  type Handler,
  type HookCommand,
  type HookProcessOutcome,
  hookProcessMachine,
} from '../../machines/hook-process.ts';
import { runHook } from '../../src/handlers/index.ts';
import { fireAgain } from '../support/again.ts';
import { tempFolder } from '../support/temp-folder.ts';

const machine = hookProcessMachine.provide({ actors: { process: fromCallback(runHook) } });

export interface Options extends Partial<Omit<HookCommand, 'command' | 'handler'>> {
  readonly input?: object;
  readonly timeout?: number;
  /** Cancels the hook when it is aborted. */
  readonly cancel?: AbortSignal;
}

/** Runs a hook of any kind through the machine until its outcome. */
export function runHandler(
  command: string,
  handler: Handler,
  { input = {}, timeout = 30_000, cancel, ...more }: Options = {},
): Promise<HookProcessOutcome> {
  const stdin = (): string => JSON.stringify(input);
  const { cwd = tempFolder() } = more;
  fireAgain(
    cwd,
    'BeforeTool',
    { tool_name: 'write_file', tool_input: input },
    {
      '.hookmachine/settings.json': {
        hooks: { 'tool.before': [{ hooks: [asEntry(command, handler, { timeout, ...more })] }] },
      },
    },
  );
  const actor = createActor(machine, {
    input: {
      name: 'hook',
      timeout,
      command: { command, handler, cwd: process.cwd(), env: {}, stdin, ...more },
    },
  });
  cancel?.addEventListener('abort', () => actor.send({ type: 'cancel', reason: 'enough' }));
  const outcome = toPromise(actor);
  actor.start();
  return outcome;
}

/** The longest that a hook which never answers is waited for when it is fired again, in ms. */
const mostTime = 5_000;

/** The hook as settings define it. */
function asEntry(
  command: string,
  { kind, ...handler }: Handler,
  { timeout, args }: { readonly timeout: number } & Pick<Options, 'args'>,
): object {
  const key = {
    http: 'url',
    acs: 'url',
    prompt: 'prompt',
    module: 'module',
    live: 'command',
    function: 'name',
  };
  return {
    type: kind,
    [key[kind]]: command,
    ...handler,
    timeout: Math.min(timeout, mostTime),
    args,
  };
}

/** The answer of a hook, or why it has none. */
export async function answerOf(
  command: string,
  handler: Handler,
  options?: Options,
): Promise<unknown> {
  const outcome = await runHandler(command, handler, options);
  if (outcome.status === 'failed') return outcome.error.message;
  if (outcome.status !== 'exited') return outcome.status;
  const { stdout } = outcome.exit;
  return stdout === '' ? undefined : (JSON.parse(stdout) as unknown);
}
