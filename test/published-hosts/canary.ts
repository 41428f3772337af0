import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { hosts } from '../../src/hosts/all/hosts.ts';
import { hookmachine } from '../support/hookmachine.ts';
import { starter } from '../support/main.ts';
import { sandbox } from '../support/sandbox.ts';
import { pathFor, programOf } from './installed.ts';
import type { RealHost } from './real-host.ts';

interface Report {
  readonly canaries: readonly { readonly agent: string; readonly isDenied: boolean }[];
  readonly findings: readonly { readonly agent?: string; readonly code: string }[];
}

/** Has the doctor run a canary in a published host whose user has installed the entries. */
export async function canaryIn({ name, files }: RealHost): Promise<void> {
  const box = sandbox();
  const bin = join(box.home, 'bin');
  mkdirSync(bin);
  const [program = ''] = (await hosts.find((one) => one.name === name)!.install()).programs;
  symlinkSync(programOf(name)!, join(bin, program));
  for (const [file, content] of Object.entries(files('http://127.0.0.1:9', box.project)))
    box.write(resolve(box.home, file), content);
  const env = { ...box.env, PATH: `${bin}:${pathFor(name)}` };
  const at = { ...box, env };
  const command = JSON.stringify(starter);
  await hookmachine(at, ['install', name, '--scope', 'user', '--command', command]);
  // What an untrusted project brings along for the agent must not run.
  const ran = join(box.folder, 'ran');
  const hook = { type: 'command', command: `touch '${ran}'` };
  box.write(join(box.project, '.claude/settings.json'), {
    hooks: { UserPromptSubmit: [{ hooks: [hook] }] },
  });
  const { stdout } = await hookmachine(at, ['doctor', '--live', '--json']);
  expect(existsSync(ran)).toBe(false);
  const { canaries, findings } = JSON.parse(stdout) as Report;
  const codes = findings.filter(({ agent }) => agent === name).map(({ code }) => code);
  // Codex runs no hook that its user has not trusted, which only the user can do.
  const isTrusted = name !== 'codex';
  expect([canaries, codes]).toEqual([
    [expect.objectContaining({ agent: name, isDenied: isTrusted })],
    isTrusted
      ? expect.not.arrayContaining(['canary-ran'])
      : expect.arrayContaining(['canary-ran', 'entry-untrusted']),
  ]);
}
