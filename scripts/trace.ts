/** `npm run trace`: lists every requirement with the tests that prove it. It fails if one has none. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { execa } from 'execa';
import { citedIds, readRequirements } from './citations.ts';

const requirements = readRequirements(
  readFileSync(new URL('../docs/requirements.md', import.meta.url), 'utf8'),
);

// Tests are found as vitest finds them, without running any.
const { stdout, stderr } = await execa('vitest', ['list', '--staticParse', '--json'], {
  preferLocal: true,
  cwd: new URL('..', import.meta.url),
});
// If vitest cannot read a file, it reports an error on stderr, with exit code 0 and nothing on stdout.
if (stdout === '') throw new Error(stderr);
const tests = JSON.parse(stdout) as { name: string; file: string }[];

const proofs = new Map<string, string[]>();
for (const { name, file } of tests) {
  const test = `${relative('.', file)}: ${name}`;
  for (const id of citedIds(name, requirements)) proofs.set(id, [...(proofs.get(id) ?? []), test]);
}
const linesOf = (ids: readonly string[], about: (id: string) => string | undefined): string[] =>
  ids.flatMap((id) => [
    `${id}  ${about(id) ?? ''}`.trimEnd(),
    ...(proofs.get(id) ?? []).map((test) => `    ${test}`),
  ]);

const { active, retired } = requirements;
const ids = [...active.keys()];
const missing = ids.filter((id) => !proofs.has(id));
const unknown = [...proofs.keys()].filter((id) => !active.has(id) && !retired.has(id));
const old = [...retired.keys()].filter((id) => proofs.has(id));
const say = (lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);
const list = (title: string, lines: readonly string[]): void => {
  if (lines.length > 0) say(['', title, ...lines]);
};
say(linesOf(ids, (id) => active.get(id)));
list(
  'Cited though retired (merged into another):',
  linesOf(old, (id) => retired.get(id)),
);
list(
  'Cited, but there is no such requirement:',
  linesOf(unknown, () => undefined),
);
list(
  'Without a test that cites it:',
  linesOf(missing, (id) => active.get(id)),
);
say(['', `${ids.length - missing.length} of ${ids.length} requirements are proven by tests.`]);
if (missing.length + unknown.length > 0) process.exitCode = 1;
