import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hookmachine } from './hookmachine.ts';
import { inProcess } from './in-process.ts';
import { tempFolder } from './temp-folder.ts';

/** A project folder with these files, until the test ends; `*.sh` files are executable. */
export function project(files: Readonly<Record<string, string | object>> = {}): string {
  const folder = tempFolder();
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    if (name.endsWith('.sh')) chmodSync(file, 0o755);
  }
  return folder;
}

/** A project whose settings switch these hooks on. */
export const projectWithHooks = (
  hooks: object,
  files: Readonly<Record<string, string | object>> = {},
): string =>
  project({ '.llxprt/settings.json': { tools: { enableHooks: true }, hooks }, ...files });

/** A group of one command hook. */
export const group = (command: string, more: object = {}, matcher?: string) => ({
  ...(matcher !== undefined && { matcher }),
  hooks: [{ type: 'command', command, ...more }],
});

/** Runs the built command without the settings of the user who runs the tests. */
export const runCommand = (
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Readonly<Record<string, string>> } = {},
) => hookmachine(nowhere(env), args, input);

/** Does what the command does in this process, also without those settings. */
export const commandInProcess = (
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Readonly<Record<string, string>> } = {},
) => inProcess(nowhere(env), args, input);

/** A place without settings. */
function nowhere(env: Readonly<Record<string, string>>) {
  const folder = tempFolder();
  const isolated = { HOME: folder, XDG_STATE_HOME: '', LLXPRT_SYSTEM_SETTINGS_PATH: '' };
  return { project: folder, env: { ...isolated, ...env } };
}
