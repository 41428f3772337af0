import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { main } from '../support/main.ts';
import { tempFolder } from '../support/temp-folder.ts';

const example = fileURLToPath(new URL('../../examples/streamed-redactor/', import.meta.url));

const neutral = (output: string): string => output.replaceAll(/\d+ ms/g, '1 ms');

test('the redactor example prints what its README says, in pieces, and no part of a secret', async () => {
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await execa('node', [main, ...args], {
      cwd: example,
      env: { HOME: home, HOOKMACHINE_MODEL: 'scripted:session.yaml' },
    });
    return stdout;
  };
  const home = tempFolder();
  await run('trust', '--yes');
  const [shown, printed] = await Promise.all([
    run('run', 'What is in my notes?'),
    run('run', 'What is in my notes?', '--json'),
  ]);
  expect(readFileSync(join(example, 'README.md'), 'utf8')).toContain(`${neutral(shown)}\n\`\`\``);
  const texts = printed
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type: string; readonly text?: string })
    .flatMap(({ type, text = '' }) => (type === 'text' ? [text] : []));
  expect(texts.length).toBeGreaterThan(3);
  expect(texts.join('')).toContain(
    'The key [redacted] is one of them,\nand the card [redacted] is',
  );
  expect(printed).not.toMatch(/AKIA|4111|1111/);
});
