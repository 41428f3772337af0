import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findProgram } from '../src/base/programs.ts';

const folder = new URL('.', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !/node_modules|^fixtures|^build/.test(file),
);
const textOf = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

test('every test that runs the built package has it built first', () => {
  const runsBuild = /\bdist\/(?:src|hookmachine)|fixtures\/hosts\/|from 'hookmachine'/;
  const users = files.filter((file) => runsBuild.test(textOf(file)));
  expect(users.length).toBeGreaterThan(3);
  const builds = /^import '(?:\.\.\/)+build\.ts';|from '(?:\.\.\/)+support\/main\.ts';/m;
  expect(users.filter((file) => !builds.test(textOf(file)))).toEqual([]);
});

test('this machine has the programs that hooks of the tests call', () => {
  const programs = ['bash', 'git', 'jq', 'perl', 'ps', 'python3', 'setsid', 'timeout'];
  expect(programs.filter((name) => findProgram(name) === undefined)).toEqual([]);
});
