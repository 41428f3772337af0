import { parse, type ParseError } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { inOwnProcess } from '../support/in-process.ts';
import { sandbox } from '../support/sandbox.ts';
import { type Block, blocksOf, pages } from '../support/blocks.ts';

type Fields = Readonly<Record<string, unknown>>;

const read = ({ text }: Block): [value: unknown, errors: ParseError[]] => {
  const errors: ParseError[] = [];
  return [parse(text, errors, { allowTrailingComma: true }), errors];
};
const samples = pages.flatMap((page) =>
  blocksOf(page).filter(({ language }) => language === 'json' || language === 'jsonc'),
);

/** The settings that a sample is, or in which its one hook stands; none for an event or an answer. */
function settingsOf(sample: Block): Fields | undefined {
  const value = read(sample)[0] as Fields;
  if (typeof value['type'] === 'string') return { hooks: { 'tool.before': [{ hooks: [value] }] } };
  // Of administrators, and of other agents.
  if (
    value['managed'] !== undefined ||
    value['version'] === 1 ||
    sample.text.includes('PreToolUse')
  )
    return undefined;
  return ['hooks', 'guards', 'budget', 'hooksConfig'].some((key) => key in value)
    ? value
    : undefined;
}

test('every sample of JSON can be read, and one that is called plain JSON has no comments', () => {
  for (const sample of samples)
    expect([sample.page, sample.heading, read(sample)[1]]).toEqual([
      sample.page,
      sample.heading,
      [],
    ]);
  for (const { language, text } of samples)
    if (language === 'json') expect(() => JSON.parse(text) as unknown).not.toThrow();
});

const settings = samples.flatMap((sample) => {
  const value = settingsOf(sample);
  return value === undefined ? [] : [[sample.page, sample.heading, value] as const];
});

test.each(settings)(
  'check finds nothing wrong in the settings of %s, "%s"',
  async (_, __, value) => {
    const box = sandbox();
    // Some keys count only in a user's own settings.
    box.write('hooksConfig' in value ? box.own.user : box.own.project, value);
    const { stdout } = await inOwnProcess(box, ['check', '--trust', '--json'], '');
    const found = JSON.parse(stdout) as readonly { readonly message: string }[];
    // The files and variables that a page names are not here.
    expect(
      found.filter(({ message }) => !/does not exist|ENOENT|which is not set/.test(message)),
    ).toEqual([]);
  },
);
