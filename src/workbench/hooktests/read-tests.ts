import { z } from 'zod';
import { knownDialects } from '../../hosts/all/known.ts';
import { messageOf, said } from '../../base/message-of.ts';
import { readYaml } from '../../agent/models/scripted/read-yaml.ts';
import { patternOf } from '../../agent/models/scripted/turn.ts';
import { placeOf, type Path, type SettingsProblem } from '../../core/definitions/problem.ts';
import { readBounded } from '../../settings/files/read-bounded.ts';
import { nearestKey } from '../../settings/format/unknown-names.ts';

const text = z.string().min(1);
const pattern = z.string().refine((given) => patternOf(given) !== undefined);
const dialect = z.enum(['all', ...knownDialects.map(({ name }) => name)]);
const fields = z.record(z.string(), z.unknown());

/** The values of an event that a hook may change. */
export const slots = [
  'tool_input',
  'tool_response',
  'llm_request',
  'llm_response',
  'toolConfig',
] as const;

const expected = z.strictObject({
  decision: z.enum(['allow', 'deny', 'ask', 'defer', 'none']),
  reason: pattern.optional(),
  changed: z.union([z.literal(false), z.partialRecord(z.enum(slots), fields)]).optional(),
  context: pattern.optional(),
  stop: z.boolean().optional(),
});

const test = z.strictObject({
  name: text,
  event: text,
  input: fields,
  dialect: dialect.optional(),
  hook: text.optional(),
  expect: expected,
});

const whole = z.strictObject({
  dialect: dialect.optional(),
  hook: text.optional(),
  tests: z.array(test).min(1),
});

/** The outcome that a test expects of its event. */
export type Expected = z.infer<typeof expected>;

/** A test of hooks, as written in its file. */
export interface HookTest extends z.infer<typeof test> {
  readonly file: string;
  readonly line: number;
}

/** The tests in a test file, or what is wrong with it. */
export type TestFile =
  | { readonly file: string; readonly tests: readonly HookTest[] }
  | { readonly file: string; readonly problems: readonly SettingsProblem[] };

/** Reads a test file; every mistake is reported, with its place and a fix. */
export async function readTests(file: string): Promise<TestFile> {
  const problem = (message: string, fix: string): TestFile => ({
    file,
    problems: [{ file, place: '', message, fix }],
  });
  let content: string;
  try {
    const read = readBounded(file);
    if (!('bytes' in read))
      return problem('it is not a file, or is larger than 4 MiB', 'name another');
    content = read.bytes.toString();
  } catch (error) {
    return problem(`it cannot be read (${messageOf(error)})`, 'check the path');
  }
  const { faults, toData, locate } = readYaml(content);
  if (faults.length > 0)
    return { file, problems: faults.map((fault) => ({ file, place: '', ...fault })) };
  let data: unknown;
  try {
    data = toData();
  } catch (error) {
    return problem(messageOf(error), 'fix the aliases');
  }
  const read = whole.safeParse(data);
  if (read.error)
    return {
      file,
      problems: read.error.issues
        .flatMap((issue) => faultsOf(issue, data))
        .map(({ path, ...fault }) => ({ file, at: locate(path), place: placeOf(path), ...fault })),
    };
  const { tests, ...common } = read.data;
  return {
    file,
    tests: tests.map((one, index) => ({
      ...common,
      ...one,
      file,
      line: locate(['tests', index]).line,
    })),
  };
}

function faultsOf(
  issue: z.core.$ZodIssue,
  data: unknown,
): { readonly path: Path; readonly message: string; readonly fix: string }[] {
  const path = issue.path as (string | number)[];
  if (issue.code === 'unrecognized_keys') {
    const keys = keysAt(path);
    return issue.keys.map((key) => {
      const meant = nearestKey(key, keys);
      const fix = meant === undefined ? `use ${keys.join(', ')}` : `write "${meant}"`;
      return { path: [...path, key], message: 'there is no such key', fix };
    });
  }
  const value = path.reduce<unknown>(
    (inner, step) => (inner as Record<string | number, unknown> | undefined)?.[step],
    data,
  );
  const verb = value === undefined ? 'add' : 'make it';
  return [{ path, message: said(value), fix: `${verb} ${wantedAt(path)}` }];
}

const keysAt = (path: Path): readonly string[] =>
  path.includes('changed')
    ? slots
    : Object.keys(
        (path.includes('expect') ? expected : path.includes('tests') ? test : whole).shape,
      );

const wanted: Readonly<Record<string, string>> = {
  tests: 'a list of tests, each with name, event, input and expect',
  name: 'a string',
  event: 'the name of an event, such as BeforeTool',
  input: "the event's own fields, such as those that hookmachine fire BeforeTool --sample prints",
  dialect: `all, or one of ${knownDialects.map(({ name }) => name).join(', ')}`,
  hook: 'the path of a script, or a command',
  expect: 'an object such as { decision: deny }',
  decision: 'one of allow, deny, ask, defer, none',
  reason: 'a string that the reason contains, or a valid /regular expression/',
  context: 'a string that the context contains, or a valid /regular expression/',
  changed: `false, or an object with ${slots.join(', ')}`,
  stop: 'true or false',
};

function wantedAt(path: Path): string {
  const name = path.findLast((step) => typeof step === 'string' && Object.hasOwn(wanted, step));
  if (typeof path.at(-1) === 'number') return 'a test with name, event, input and expect';
  return name === undefined ? 'an object with a list "tests"' : wanted[name]!;
}
