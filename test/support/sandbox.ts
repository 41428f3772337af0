import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { fireAtEnd } from './again.ts';
import type { Sandbox } from './sandbox-type.ts';
import { tempFolder } from './temp-folder.ts';

export type { Sandbox } from './sandbox-type.ts';

/** Makes a sandbox for the running test, and gives this process its environment too. */
export function sandbox(): Sandbox {
  const folder = realpathSync(tempFolder());
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  const systemFolder = join(folder, 'etc');
  const system = join(systemFolder, 'llxprt-code', 'settings.json');
  const env = {
    HOME: home,
    XDG_STATE_HOME: '',
    LLXPRT_SYSTEM_SETTINGS_PATH: '',
    LLXPRT_CODE_SYSTEM_SETTINGS_PATH: '',
  };
  for (const path of [project, home]) mkdirSync(path);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  fireAtEnd(project);
  return {
    folder,
    project,
    home,
    systemFolder,
    env,
    files: {
      project: join(project, '.llxprt', 'settings.json'),
      user: join(home, '.llxprt', 'settings.json'),
      system,
    },
    own: {
      project: join(project, '.hookmachine', 'settings.json'),
      user: join(home, '.hookmachine', 'settings.json'),
      system: join(systemFolder, 'hookmachine', 'settings.json'),
    },
    write(file, content) {
      const path = resolve(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
      return path;
    },
  };
}
