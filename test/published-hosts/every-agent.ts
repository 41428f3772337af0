import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { main } from '../support/main.ts';
import type { RealHost } from './real-host.ts';
import { runHost, type HostRun } from './run-host.ts';
import { toolResultsIn } from './tool-result.ts';

const example = fileURLToPath(new URL('../../examples/every-agent/', import.meta.url));
const recordings = join(example, 'recordings');
const root = fileURLToPath(new URL('../../', import.meta.url));

const files = Object.fromEntries(
  ['.hookmachine/settings.json', '.hookmachine/hooks/team-rules.mjs'].map((file) => [
    file,
    readFileSync(join(example, file), 'utf8'),
  ]),
);

/** `RECORD=1 npm run hosts` writes the recordings of the example anew. */
const isRecorded = process.env['RECORD'] === '1';

/** What a host prints, with placeholders for what differs from run to run. */
const neutral = ({ project, output, requests }: HostRun): string => {
  const read = requests.flatMap((request) => [...toolResultsIn(request).values()]).at(-1) ?? '';
  const text = `${output.trim()}\n\n--- its model read ---\n${read.trim()}\n`;
  return (
    text
      .replaceAll(project, '/project')
      .replaceAll(join(project, '../home'), '/home/me')
      .replaceAll(main, 'hookmachine.cjs')
      .replaceAll(root, '/hookmachine/')
      .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT')
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, 'SESSION')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/^Package extraction took .*\n/gm, '')
      .replaceAll(/^(Duration +)\d+s$/gm, '$1Ns')
      // oxlint-disable-next-line no-control-regex -- Colours.
      .replaceAll(/\u001B\[[\d;]*m/g, '')
      .replaceAll(/[ \t]+$/gm, '')
      .replaceAll(/\n{3,}/g, '\n\n')
  );
};

/**
 * Checks that the guard of examples/every-agent keeps a host from a forced push and from a file of secrets.
 */
export async function guardOfEveryAgent(host: RealHost): Promise<void> {
  const { name, shell, write } = host;
  const push = await runHost(host, files, {
    calls: () => [shell('git push --force origin main')],
  });
  const secret = await runHost(host, files, {
    calls: (project) => [
      write ? write(join(project, '.env'), 'KEY=1\n') : shell('echo KEY=1 > .env'),
    ],
  });
  expect(secret.made('.env')).toBe(false);
  const texts = [push, secret].map(neutral);
  expect(texts[0]).toContain('git push --force loses the work of others');
  expect(texts[1]).toContain('.env holds secrets');
  if (!isRecorded) return;
  mkdirSync(recordings, { recursive: true });
  const [pushed, written] = texts;
  writeFileSync(
    join(recordings, `${name}.txt`),
    `=== Its model asks for: git push --force origin main\n\n${pushed}\n` +
      `=== Its model asks for a file: .env\n\n${written}`,
  );
}
