import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { fireAtEnd } from './again.ts';
import { tempFolder } from './temp-folder.ts';

/** A test's own project, home and administrator's file: no settings of this machine take part. */
export interface Sandbox {
  readonly folder: string;
  readonly project: string;
  readonly home: string;
  /** The folder of administrators' settings, in place of the machine's. */
  readonly systemFolder: string;
  /** The environment that a process needs to run in the sandbox. */
  readonly env: Readonly<Record<string, string>>;
  /** The settings files; none of them exists yet. */
  readonly files: Readonly<Record<'project' | 'user' | 'system', string>>;
  /** Our own settings files. */
  readonly own: Readonly<Record<'project' | 'user' | 'system', string>>;
  /** Writes a file of the sandbox, with its folders; anything that is not a text is written as JSON. */
  readonly write: (file: string, content: unknown) => string;
}

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
