import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { hosts } from '../../../src/hosts/all/hosts.ts';
import type { Installation, RelayCall } from '../../../src/core/dialects/installation.ts';
import { relayInCommand } from '../../../src/hosts/parts/relay-entry.ts';
import { ownCommand, relayCall } from '../../../src/hosts/install/relay-call.ts';
import { inProcess } from '../../support/in-process.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** Programs that we, or what we write for a host, might look up. */
const names = 'hookmachine node npx bash sh git ssh-keygen jq mkfifo ps setsid xdg-open open vi logger'.split(' '); // prettier-ignore

/** A project that has a program of its own under each of these names, first on the PATH. */
function planted(): Sandbox & { readonly wasRun: () => boolean } {
  const box = sandbox();
  const mark = join(box.folder, 'planted');
  const folders = ['', 'bin', 'node_modules/.bin'].map((name) => join(box.project, name));
  for (const folder of folders)
    for (const name of names)
      chmodSync(box.write(join(folder, name), `#!/bin/sh\necho x >> '${mark}'\n`), 0o755);
  const PATH = ['.', 'bin', 'node_modules/.bin', ...folders, process.env['PATH']].join(':');
  return { ...box, env: { ...box.env, PATH }, wasRun: () => existsSync(mark) };
}

describe('a program of the project', () => {
  test.each(hosts.map(({ name }) => name))(
    'install for %s names no program of the project, and runs none',
    async (host) => {
      const box = planted();
      for (const scope of ['project', 'user']) {
        const { stdout } = await inProcess(box, ['install', host, '--scope', scope]);
        const calls = [...stdout.matchAll(/([^"\s]*hookmachine\S*) relay/g)].map(
          ([, call]) => call!,
        );
        expect(calls.length).toBeGreaterThan(0);
        for (const call of calls) {
          expect(call).toMatch(/^'?\/.*dist\/hookmachine'?$/);
          expect(call).not.toContain(box.project);
        }
        // Some hosts have only one place for both.
        await inProcess(box, ['uninstall', host, '--scope', scope]);
      }
      expect(box.wasRun()).toBe(false);
    },
  );

  test('no program of the project is run by commands before it is trusted, nor as the shell of your own hooks', async () => {
    const box = planted();
    const untrusted = { ...box, env: { ...box.env, HOOKMACHINE_TRUST: '' } };
    const command = 'echo no >&2; exit 2';
    box.write(box.own.project, { hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: 'jq .' }] }] } }); // prettier-ignore
    box.write(box.own.user, { hooks: { BeforeTool: [{ hooks: [{ type: 'command', command }] }] } });
    for (const args of [
      ['check'],
      ['list'],
      ['trust', '--show'],
      ['init', '--dry-run'],
      ['doctor'],
    ])
      await inProcess(untrusted, args);
    const fired = await inProcess(
      untrusted,
      ['fire', 'BeforeTool'],
      '{"tool_name":"x","tool_input":{}}',
    );
    expect(JSON.parse(fired.stdout)).toMatchObject({ blocked: true, reason: 'no' });
    const key = box.write(join(box.project, 'key'), 'x');
    await inProcess(untrusted, ['policy', 'sign', '.', '--key', key]);
    expect(box.wasRun()).toBe(false);
  });
});

describe('a path with blanks, quotes and dollar signs', () => {
  const folder = join(tempFolder(), `it's a "$HOME" \`path\` \\ of (mine) & co`);
  const script = join(folder, 'hookmachine');
  mkdirSync(folder);
  writeFileSync(script, '#!/bin/sh\nprintf "%s|" "$@"\n', { mode: 0o755 });

  test.each(hosts)('the entries of $name start it', async (host) => {
    const site = { cwd: tempFolder(), home: tempFolder(), env: { PATH: '/nowhere' } };
    const own = ownCommand(site, 'user', false, script)!;
    const call = relayCall(own, host.name);
    for (const { command, args = [] } of commandsOf(await host.install(), call, site)) {
      expect(relayInCommand(args.length > 0 ? call() : command)).toBe('whole');
      const { stdout } = await execa('sh', ['-c', command, ...args], { cwd: site.cwd });
      expect(stdout).toMatch(new RegExp(`^relay\\|${host.name}\\|`));
    }
  });
});

interface Started {
  readonly command: string;
  readonly args?: readonly string[];
}

/** What a host starts for its first event. */
function commandsOf(
  installation: Installation,
  call: RelayCall,
  site: Parameters<typeof ownCommand>[0],
): readonly Started[] {
  if (installation.kind === 'entries') {
    const text = JSON.stringify(installation.entries(call)[0]);
    const [, command] = /"(?:command|bash)":("(?:[^"\\]|\\.)*")/.exec(text)!;
    return [{ command: JSON.parse(command!) as string }];
  }
  if (installation.kind === 'lines') {
    const [, command] = /^command = (".*")$/m.exec(installation.lines(call).join('\n'))!;
    return [{ command: JSON.parse(command!) as string }];
  }
  const [{ file, text, mode }] = installation.files('project', site, call) as [
    { file: string; text: string; mode: number },
  ];
  const [, command] = /^const command = (".*");$/m.exec(text) ?? [];
  if (command !== undefined) return [{ command: JSON.parse(command) as string }];
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text, { mode });
  expect(readFileSync(file, 'utf8')).toBe(text);
  return [{ command: '"$0" run', args: [file] }];
}
