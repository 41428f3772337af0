import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { beforeEach, describe, expect, test } from 'vitest';
import { sandbox, type Sandbox } from '../support/sandbox.ts';

/** What a plugin's hooks start: it has this version in the repository. */
const starter = fileURLToPath(new URL('../../plugins/claude-code/hookmachine', import.meta.url));
const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

let box: Sandbox;
let bin: string;
beforeEach(() => {
  box = sandbox();
  bin = join(box.home, 'bin');
  mkdirSync(bin);
});

function program(file: string, text: string): void {
  box.write(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

/** An npm whose registry is away, or has a package that says what it is asked. */
const npm = (text: string): void => program(join(bin, 'npm'), text);
const installing = `sleep 1; echo "$@" >> "$HOME/asked"; mkdir -p node_modules/.bin; printf '#!/bin/sh\\necho "own $*"\\n' > node_modules/.bin/hookmachine; chmod +x node_modules/.bin/hookmachine`;

const start = (env: Readonly<Record<string, string>> = {}) =>
  execa(starter, ['relay', 'claude-code'], {
    cwd: box.project,
    env: { ...box.env, XDG_DATA_HOME: '', PATH: `${bin}:/usr/bin:/bin`, ...env },
    extendEnv: false,
    input: '{}',
    reject: false,
  });

describe("what a plugin's hooks start", () => {
  test('is the hookmachine on the PATH, but never one of the project', async () => {
    program(join(bin, 'hookmachine'), 'echo "global $*"');
    for (const folder of ['bin', 'node_modules/.bin'])
      program(join(box.project, folder, 'hookmachine'), 'echo planted');
    const PATH = `${join(box.project, 'bin')}:./node_modules/.bin:${join(box.project, 'node_modules/.bin')}:${bin}:/usr/bin:/bin`;
    expect(await start({ PATH })).toMatchObject({
      stdout: 'global relay claude-code',
      exitCode: 0,
    });
  });

  test('is installed once for the user if it is not there, however many events come at once', async () => {
    npm(installing);
    const all = await Promise.all([start(), start(), start()]);
    expect(all.map(({ stdout }) => stdout)).toEqual(Array(3).fill('own relay claude-code'));
    expect(await start()).toMatchObject({ stdout: 'own relay claude-code' });
    const asked = readFileSync(join(box.home, 'asked'), 'utf8');
    expect(asked.trim().split('\n')).toEqual([expect.stringContaining(`hookmachine@${version}`)]);
    expect(asked).toContain('--ignore-scripts');
  });

  test('takes nothing from a folder of the project, whatever the environment names', async () => {
    const planted = `share/hookmachine/${version}/node_modules/.bin/hookmachine`;
    program(join(box.project, planted), 'echo planted');
    npm('exit 1');
    expect(await start({ XDG_DATA_HOME: 'share' })).toMatchObject({ stdout: '', exitCode: 2 });
    expect(await start({ HOME: '.' })).toMatchObject({ stdout: '', exitCode: 2 });
  });

  test('denies, and says why, as long as it cannot be installed', async () => {
    npm('echo "network is away" >&2; exit 1');
    for (let run = 0; run < 2; run++) {
      const { stderr, stdout, exitCode } = await start();
      expect([stdout, exitCode]).toEqual(['', 2]);
      expect(stderr).toMatch(
        /network is away[^]*could not be installed.*npm install -g hookmachine/,
      );
    }
  });

  test('does not seem to deny where nothing is judged, such as the end of the work', async () => {
    npm('exit 1');
    expect(await start({ HOOKMACHINE_NOT_JUDGED: '1' })).toMatchObject({ stdout: '', exitCode: 1 });
    const file = new URL('../../plugins/claude-code/hooks/hooks.json', import.meta.url);
    const { hooks } = JSON.parse(readFileSync(file, 'utf8')) as { readonly hooks: object };
    const marked = Object.entries(hooks)
      .filter(([, groups]) => JSON.stringify(groups).includes('HOOKMACHINE_NOT_JUDGED=1'))
      .map(([event]) => event);
    expect(marked).toEqual(expect.arrayContaining(['Stop', 'SubagentStop', 'SessionStart']));
    expect(marked).not.toEqual(expect.arrayContaining(['PreToolUse']));
    expect(marked).not.toEqual(expect.arrayContaining(['UserPromptSubmit']));
  });

  test('is installed although somebody who was installing it was killed long ago', async () => {
    npm(installing);
    const lock = join(box.home, '.local/share/hookmachine', `${version}.lock`);
    mkdirSync(lock, { recursive: true });
    const long = new Date(Date.now() - 20 * 60_000);
    utimesSync(lock, long, long);
    expect(await start()).toMatchObject({ stdout: 'own relay claude-code' });
  });

  test('has the guards on from the start, and leaves settings alone that are there or were removed', async () => {
    program(join(bin, 'hookmachine'), 'true');
    const settings = join(box.home, '.hookmachine/settings.json');
    await start();
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({ guards: 'on' });
    writeFileSync(settings, '{}');
    await start();
    expect(readFileSync(settings, 'utf8')).toBe('{}');
    rmSync(settings);
    await start();
    expect(existsSync(settings)).toBe(false);
  });
});
