import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { HookProcessInput } from '../../../machines/hook-process.ts';
import { environment } from '../../base/surroundings.ts';

/** A hook as another process receives it. */
export interface HandedHook extends Pick<HookProcessInput, 'name' | 'timeout' | 'leftBehind'> {
  readonly command: Omit<HookProcessInput['command'], 'stdin' | 'admit' | 'filesBehind'>;
  readonly stdin: string;
}

/** Hands an async hook over to a process of its own, since this one ends with its event. */
export async function outlive(hook: HookProcessInput): Promise<void> {
  const { name, timeout, leftBehind } = hook;
  const admitted = await (hook.command.admit?.() ?? hook.command);
  const { stdin, admit: _, filesBehind: __, prestart: ___, ...command } = admitted;
  if (command.handler?.kind === 'prompt')
    throw new Error('there is no model to ask; "fire" has none');
  const handed: HandedHook = {
    name,
    timeout,
    ...(leftBehind && { leftBehind }),
    command,
    stdin: stdin(),
  };
  const itself = [...process.execArgv, process.argv[1]!, 'finish-hook'];
  const child = spawn(process.execPath, itself, {
    cwd: command.cwd,
    env: environment(),
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // If the child ends early, that is not reported.
  child.stdin.on('error', () => undefined);
  await once(child, 'spawn');
  child.stdin.end(JSON.stringify(handed));
  child.unref();
}
