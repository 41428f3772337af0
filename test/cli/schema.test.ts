import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsJsonSchema } from '../../src/settings/format/json-schema.ts';
import { hookmachine } from '../support/hookmachine.ts';
import { sandbox } from '../support/sandbox.ts';

test('hookmachine schema prints the JSON Schema of the settings', async () => {
  const { stdout, stderr, exitCode } = await hookmachine(sandbox(), ['schema']);
  expect(JSON.parse(stdout)).toEqual(settingsJsonSchema());
  expect([stderr, exitCode]).toEqual(['', 0]);
});

test('settings.schema.json is what hookmachine schema prints', async () => {
  const { stdout } = await hookmachine(sandbox(), ['schema']);
  const committed = readFileSync(new URL('../../settings.schema.json', import.meta.url), 'utf8');
  expect(committed, 'settings.schema.json is old: run `npm run schema`').toBe(`${stdout}\n`);
});
