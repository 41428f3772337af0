import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A project folder with these files, until the test ends; `*.sh` files can be run. */
export function project(files: Readonly<Record<string, string | object>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookmachine project-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
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
