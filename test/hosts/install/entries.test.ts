import { array, boolean, constantFrom, dictionary, oneof, record, string } from 'fast-check';
import { expect, test } from 'vitest';
import { withEntries, withoutEntries } from '../../../src/hosts/install/entries.ts';
import { parseJson } from '../../../src/settings/files/parse-json.ts';
import { holds } from '../../properties/check.ts';

const wanted = ['PreToolUse', 'Stop'].map((event) => ({
  event,
  entry: { hooks: [{ type: 'command', command: 'hookmachine relay claude-code' }] },
}));
const installed = (text: string): string => {
  const changed = withEntries(text, wanted);
  if ('path' in changed) throw new Error('something is in the way');
  return changed.text;
};
const uninstalled = (text: string): string => withoutEntries(text, wanted, false).text;

test.each([
  ['no hooks', '{}\n'],
  ['other settings', '{\n  "model": "x"\n}\n'],
  ['tabs', '{\n\t"model": "x",\n\t"hooks": {\n\t\t"Other": []\n\t}\n}'],
  ['a single line', '{"model":"x","hooks":{"Other":[1]}}'],
  ['Windows line endings', '{\r\n  "model": "x"\r\n}\r\n'],
  [
    'comments',
    '// first\n{\n  "model": "x", // why\n  /* more */ "hooks": { "Other": [] } // end\n}\n',
  ],
  ['a trailing comma', '{\n  "model": "x",\n}\n'],
  [
    'hooks of others at the same events',
    '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "type": "command", "command": "a" }] } // mine\n    ]\n  }\n}\n',
  ],
])('uninstall takes out what install added without a trace: %s', (_, text) => {
  const after = installed(text);
  expect(after).not.toBe(text);
  expect(parseJson(after)).toHaveProperty('value');
  expect(installed(after)).toBe(after);
  expect(uninstalled(after)).toBe(text);
});

test('uninstall takes what install added out of any settings without a trace', async () => {
  const group = record({ hooks: array(record({ type: constantFrom('command'), command: string() }), { minLength: 1, maxLength: 2 }) }); // prettier-ignore
  const hooks = dictionary(constantFrom('PreToolUse', 'Stop', 'Other'), array(group, { minLength: 1, maxLength: 2 })); // prettier-ignore
  const settings = record(
    { model: string(), hooks: hooks.filter((all) => Object.keys(all).length > 0), flag: boolean() },
    { requiredKeys: [] },
  );
  const indent = oneof(constantFrom(0, 2, 4), constantFrom('\t'));
  await holds(
    record({ settings, indent }),
    (given) => {
      const text = JSON.stringify(given.settings, null, given.indent);
      expect(uninstalled(installed(text))).toBe(text);
    },
    300,
  );
});

test('our entries are found whatever command they call us with', () => {
  const text = installed('{}').replaceAll('hookmachine relay', "'/opt/a b/hookmachine.cjs' relay");
  expect(installed(text)).toBe(text);
  expect(uninstalled(text)).toBe('{}');
});

test('install leaves an entry that was edited, uninstall takes it out, and both say so', () => {
  const text = installed('{}').replace('"type": "command"', '"type": "command", "timeout": 5');
  expect(withEntries(text, wanted)).toMatchObject({ text, edited: ['hooks.PreToolUse[0]'] });
  const { text: rest, edited, removed } = withoutEntries(text, wanted, false);
  expect({ rest, edited, removed }).toEqual({
    rest: '{}',
    edited: ['hooks.PreToolUse[0]'],
    removed: 2,
  });
});

test('uninstall takes only our hook out of a group that also holds others', () => {
  const text =
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"hookmachine relay x"}]}]}}';
  expect(uninstalled(text)).toBe(
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}]}]}}',
  );
});

test('uninstall leaves a command that does something else too, and reports it', () => {
  const text =
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a; hookmachine relay x"}]}]}}';
  expect(withoutEntries(text, wanted, false)).toMatchObject({
    text,
    mixed: ['hooks.Stop[0].hooks[0]'],
  });
});

test('install reports a value that is in the way', () => {
  expect(withEntries('{"hooks":{"PreToolUse":{}}}', wanted)).toEqual({
    path: ['hooks', 'PreToolUse'],
    wanted: 'array',
  });
});
