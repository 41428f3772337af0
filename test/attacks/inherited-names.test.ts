import { expect, test } from 'vitest';
import { finishReasonOf } from '../../src/adapters/ai-sdk/answer.ts';
import { mergeEffects, passChanges } from '../../src/core/answers/merge-effects.ts';
import type { Dialect } from '../../src/core/dialects/dialect.ts';
import { explainCommand } from '../../src/guards/explain-command.ts';
import { addressesOf } from '../../src/guards/reading/addresses.ts';
import { effectsOf } from '../../src/guards/reading/call-effects.ts';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { sampleFields } from '../../src/workbench/matrix/sample-fields.ts';
import { readyToFind } from '../../src/workbench/matrix/run-as.ts';
import { written } from '../guards/proof/corpus.ts';
import { exited } from '../support/answers.ts';
import { blocksOf, pages } from '../support/blocks.ts';
import { sandbox } from '../support/sandbox.ts';
import { sessionIn } from '../support/own-hooks.ts';
import { parseJson } from '../../src/settings/files/parse-json.ts';
import { isRecord } from '../../src/base/json.ts';
import { definition } from '../support/definition.ts';
import { inheritedName as name, placesThatInherit } from '../support/inherited-name.ts';

/*
 * Every object inherits `constructor` and `toString`. A table that is asked for such a word, because a model, a
 * hook or a file has written it, must have no answer: otherwise a function stands where a rule or a name should.
 */

/** A value in which one text after the other is the name, and one object after the other has it as a key. */
function* variants(value: unknown): Generator {
  if (typeof value === 'string') yield name;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value))
    for (const other of variants(item)) yield { ...value, [key]: other };
  yield { ...value, [name]: name };
}

test('no rule of a guard is asked for a name that every object inherits', async () => {
  const commands = written
    .filter((command) => command.length < 400)
    .flatMap((command) =>
      Array.from(
        command.matchAll(/[a-z_][\w-]*/gi),
        ({ 0: word, index }) => command.slice(0, index) + name + command.slice(index + word.length),
      ),
    );
  expect(commands.length).toBeGreaterThan(2_000);
  const places = await placesThatInherit(async () => {
    for (const command of commands) {
      await explainCommand(command, '/project');
      const call = { commands: [command], programs: [], files: [] };
      for (const effect of effectsOf(call, { cwd: '/project' })) addressesOf(effect);
    }
  });
  expect(places).toEqual([]);
});

test.each(Object.getOwnPropertyNames(Object.prototype))(
  'a guard judges what follows a program called %s',
  async (program) => {
    const explained = await explainCommand(`${program} x; git ${program}; rm -rf ~`, '/project');
    expect(explained.findings.map(({ rule }) => rule)).toEqual(['shell/delete-home']);
  },
);

const answers: readonly object[] = [
  { decision: 'deny', reason: 'why', permission: 'allow', systemMessage: 'a' },
  {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      updatedInput: { command: 'ls' },
      tool_input: { command: 'ls' },
      decision: { behavior: 'deny', message: 'why' },
    },
  },
  { updated_input: { command: 'ls' }, modifiedArgs: { command: 'ls' }, input: { command: 'ls' } },
];

/** Has a dialect tell, compare, read and merge everything in which the name may stand. */
async function speak(dialect: Dialect): Promise<void> {
  for (const [nativeEvent, event] of Object.entries(dialect.events)) {
    const base = { session_id: 's', cwd: '/project', transcript_path: '', timestamp: '2026-01-01' };
    const given = { ...base, hook_event_name: event, ...sampleFields(event) };
    for (const matcher of ['Bash', name, `${name}|Bash`, `^${name}$`]) {
      const hook = definition(event, { nativeEvent, matcher, dialect: dialect.name });
      dialect.matcherOf(hook);
      const matches = dialect.compileMatcher(hook, () => undefined);
      for (const subject of ['run_shell_command', name]) matches(subject);
      for (const varied of variants(given)) {
        const payload = varied as typeof given;
        dialect.applies?.(hook, payload);
        dialect.environment(hook, payload);
        const told = JSON.stringify(dialect.stdin(hook, payload, {}));
        await dialect.readCall(nativeEvent, JSON.parse(told) as object as typeof given);
      }
      for (const varied of answers.flatMap((answer) => [...variants(answer)])) {
        const outcome = exited({ stdout: JSON.stringify(varied) });
        const answer = dialect.read(hook, outcome, given);
        (dialect.chain ?? passChanges)(event, given, answer);
        (dialect.merge ?? mergeEffects)(event, [{ hook: 'a', answer }], given);
      }
    }
  }
}

test.each(knownDialects.map((dialect) => [dialect.name, dialect] as const))(
  'no table of %s is asked for a name that every object inherits',
  async (_, dialect) => {
    await readyToFind(dialect, '/');
    expect(await placesThatInherit(() => speak(dialect))).toEqual([]);
  },
);

test('no setting in the documentation makes a table be asked for a name that every object inherits', async () => {
  const samples = pages
    .flatMap((page) => blocksOf(page))
    .filter(({ language }) => /^jsonc?$/.test(language))
    .map(({ text }) => {
      const parsed = parseJson(text);
      return 'value' in parsed ? parsed.value : undefined;
    })
    .filter(
      (value) => isRecord(value) && ['hooks', 'guards', 'hooksConfig'].some((key) => key in value),
    );
  expect(samples.length).toBeGreaterThan(20);
  const box = sandbox();
  const places = await placesThatInherit(async () => {
    for (const settings of samples.flatMap((sample) => [...variants(sample)])) {
      for (const file of [box.own.project, box.own.user]) box.write(file, settings);
      const { config } = sessionIn(box);
      await config.getHookSystem()?.initialize();
    }
  });
  expect(places).toEqual([]);
});

test('a reason that every object inherits is another reason', () => {
  for (const reason of ['constructor', 'toString', { unified: 'valueOf' }])
    expect(finishReasonOf(reason)).toBe('OTHER');
});
