import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, onTestFinished, test } from 'vitest';
import { ChatLoop } from '../../src/agent/loop/chat-loop.ts';
import { createConfig } from '../../src/hosts/system/create-config.ts';
import { settingsJsonSchema } from '../../src/settings/format/json-schema.ts';
import { all, shown } from '../support/chat.ts';
import { sandbox } from '../support/sandbox.ts';
import { saying, someModel } from '../support/some-model.ts';

const stream = { holdBack: 20 };
const asModule = { type: 'module', module: './note.mjs' };
const whole = 'so the hook is given the whole answer; make it { "holdBack": N }, where N is how many characters the hook may hold back, from 0 to 100000'; // prettier-ignore
const without = 'so the hook runs without it';

/**
 * Hooks with an invalid `stream`, by event, with the message; the schema refuses those that are wrong by
 * themselves.
 */
const faults: readonly (readonly [string, object, string])[] = [
  ['model.after', { ...asModule, stream: true }, `is true, ${whole}`],
  ['model.after', { ...asModule, stream: 20 }, `is 20, ${whole}`],
  ['model.after', { ...asModule, stream: [20] }, `is an array, ${whole}`],
  ['model.after', { ...asModule, stream: {} }, `has no "holdBack", ${whole}`],
  [
    'model.after',
    { ...asModule, stream: { holdBack: '20' } },
    `has a "holdBack" that is "20", ${whole}`,
  ],
  [
    'model.after',
    { ...asModule, stream: { holdBack: -1 } },
    `has a "holdBack" that is -1, ${whole}`,
  ],
  ['model.after', { ...asModule, stream: { holdBack: 1.5 } }, `has a "holdBack" that is 1.5, ${whole}`], // prettier-ignore
  ['model.after', { ...asModule, stream: { holdBack: 100_001 } }, `has a "holdBack" that is 100001, ${whole}`], // prettier-ignore
  ['model.after', { ...asModule, stream: { holdback: 20 } }, `has the unknown key "holdback", ${whole}`], // prettier-ignore
  [
    'model.after',
    { type: 'command', command: 'true', stream },
    'there is no such key, so it is ignored; it belongs to a hook of type "live" or "module"',
  ],
  [
    'model.after',
    { ...asModule, async: true, stream },
    `is for hooks that see every answer as it arrives, not for one with "async", ${without}; remove "async" or "stream"`,
  ],
  [
    'model.before',
    { ...asModule, stream },
    `applies only to model.after; BeforeModel has no answer text, ${without}; remove it, or put the hook under "model.after"`,
  ],
];

/** The line of a hook's `stream` in a file in which each key is on its own line. */
const lineOf = (text: string, event: string, index: number): number => {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.includes(`"${event}"`));
  const streams = lines.flatMap((line, at) => (at > from && line.includes('"stream"') ? [at] : []));
  return streams[index]! + 1;
};

test('an invalid "stream" is reported with file, place and fix, and its hook runs without it while others work', async () => {
  const { project, systemFolder, write } = sandbox();
  const file = join(project, '.hookmachine/settings.json');
  const redactor = { type: 'module', name: 'redactor', module: './redact.mjs', stream };
  const events = ['model.after', 'model.before'].map((event) => {
    const hooks = faults
      .map(([at, hook], index) => [at, { ...hook, name: `hook-${index}` }] as const)
      .flatMap(([at, hook]) => (at === event ? [hook] : []));
    return [event, [{ hooks: event === 'model.after' ? [...hooks, redactor] : hooks }]] as const;
  });
  const settings = { hooks: Object.fromEntries(events) };
  write(file, JSON.stringify(settings, undefined, 2));
  write(
    join(project, 'note.mjs'),
    `import { appendFileSync } from 'node:fs';
    import { join } from 'node:path';
    export default ({ hook_event_name, stream, cwd }) =>
      appendFileSync(join(cwd, 'log'), hook_event_name + (stream ? ' in pieces' : '') + '\\n');`,
  );
  write(
    join(project, 'redact.mjs'),
    `export default ({ stream }) => {
      if (stream) return { text: stream.text.replaceAll('secret', '[secret]') };
    };`,
  );
  const warnings: string[] = [];
  const config = createConfig({
    cwd: project,
    systemFolder,
    isTrustedFolder: () => true,
    onWarning: (line) => void warnings.push(line),
  });
  onTestFinished(() => config.getHookSystem()?.dispose());
  const waits: unknown[] = [];
  const chat = new ChatLoop({
    config,
    model: someModel(saying('A ', 'secret', '.')),
    onTextWaits: (names) => void waits.push(names),
  });
  expect(shown(await all(chat.run('Hi')))).toBe('A [secret].');
  const places = events.flatMap(([event, [{ hooks }]]) =>
    hooks.slice(0, faults.filter(([at]) => at === event).length).map((_, index) => ({
      place: `hooks.${event}[0].hooks[${index}].stream`,
      line: lineOf(readFileSync(file, 'utf8'), event, index),
    })),
  );
  expect(warnings).toEqual(
    places.map(({ place, line }, index) => {
      const text = faults[index]![2];
      // What is wrong with a key is reported where the key is.
      const column = text.startsWith('there is no such key') ? 13 : 23;
      return `${file}:${line}:${column} ${place}: ${text}`;
    }),
  );
  // Identical hooks run only once, and are waited for if one of them is.
  expect(waits).toEqual([['hook-0', 'hook-9']]);
  await expect
    .poll(() => readFileSync(join(project, 'log'), 'utf8').trim().split('\n').toSorted())
    .toEqual(['AfterModel', 'BeforeModel']);
});

test('the schema refuses a "stream" that is wrong by itself', () => {
  const validate = new Ajv({ strict: true, strictTypes: false }).compile(settingsJsonSchema());
  const allows = (event: string, hook: object): boolean =>
    validate({ hooks: { [event]: [{ hooks: [hook] }] } });
  expect(allows('model.after', { ...asModule, stream })).toBe(true);
  expect(allows('model.after', { ...asModule, stream: { holdBack: 100_000 } })).toBe(true);
  const refused = faults.filter(([event, hook]) => !allows(event, hook));
  expect(refused).toEqual(faults.slice(0, 10));
});
