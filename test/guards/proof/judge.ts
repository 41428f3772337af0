import { readFileSync, writeFileSync } from 'node:fs';
import { guardedIn } from '../../../src/hosts/guarded/find-guarded.ts';
import { effectsOf } from '../../../src/guards/reading/call-effects.ts';
import { findingsIn } from '../../../src/guards/judge.ts';

/** Judges commands in the planted world, and writes what the guards say of each. */
const [, , from = '', to = ''] = process.argv;
const commands = JSON.parse(readFileSync(from, 'utf8')) as string[];
const place = {
  cwd: '/home/dev/project',
  home: '/home/dev',
  variables: { USER: 'dev' },
  isGuarded: guardedIn('/home/dev/project'),
};
const judged: {
  readonly command: string;
  readonly answer: string;
  readonly rules: string[];
  readonly ms: number;
}[] = [];
for (const command of commands) {
  const startedAt = performance.now();
  const effects = effectsOf({ commands: [command], programs: [], files: [] }, place);
  const findings = await findingsIn(effects, place, { strictness: {}, protect: [], allow: [] });
  const isDenied = findings.some(({ answer }) => answer === 'deny');
  judged.push({
    command,
    answer: isDenied ? 'deny' : findings.length > 0 ? 'ask' : 'allow',
    rules: findings.map(({ rule }) => rule),
    ms: performance.now() - startedAt,
  });
}
writeFileSync(to, JSON.stringify(judged));
