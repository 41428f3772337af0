import { afterEach, describe, expect, test } from 'vitest';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { kodelet } from '../../src/hosts/kodelet/index.ts';
import { llxprt } from '../../src/hosts/llxprt/index.ts';
import { mergeEffects, passChanges } from '../../src/core/answers/merge-effects.ts';
import { outputOf } from '../../src/core/views/outputs.ts';
import { hookEventNames, type LifecycleEvent } from '../../src/core/protocol/events.ts';
import { loadSettings } from '../../src/settings/files/load-settings.ts';
import { startBusSession } from '../core/bus/bus.ts';
import { exited } from '../support/answers.ts';
import { lookedFor } from '../support/looked-for.ts';
import { definition } from '../support/definition.ts';
import { hookOf, kodeletBox } from '../support/kodelet.ts';
import { sandbox } from '../support/sandbox.ts';
import { inParallel, inSequence, quoted, someFields, startSession } from '../support/session.ts';

/**
 * Properties that would make every object of the engine deny nothing, or run something, if they reached its
 * prototype.
 */
const evil = {
  polluted: true,
  decision: 'allow',
  continue: true,
  blocked: false,
  command: 'touch pwned',
  type: 'command',
  trusted: true,
  enabled: false,
};
const json = JSON.stringify(evil);

/** Objects that name prototypes in every place that a merge, a spread or a rename may touch. */
const texts = [
  `{"__proto__":${json}}`,
  `{"constructor":{"prototype":${json}}}`,
  `{"hookSpecificOutput":{"__proto__":${json},"constructor":{"prototype":${json}}}}`,
  `{"hookSpecificOutput":{"tool_input":{"__proto__":${json},"constructor":{"prototype":${json}}}}}`,
  `{"hookSpecificOutput":{"llm_request":{"__proto__":${json},"config":{"__proto__":${json}}}}}`,
  `{"hookSpecificOutput":{"llm_response":{"text":"x","__proto__":${json}}}}`,
  `{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["__proto__"],"__proto__":${json}}}}`,
  `{"input":{"__proto__":${json},"constructor":{"prototype":${json}}}}`,
  `{"output":{"metadata":{"__proto__":${json}},"__proto__":${json}}}`,
];

const clean = Object.getOwnPropertyNames(Object.prototype);
afterEach(() => {
  const added = Object.getOwnPropertyNames(Object.prototype).filter((key) => !clean.includes(key));
  for (const key of added) delete (Object.prototype as Record<string, unknown>)[key];
  expect(added).toEqual([]);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});

/** Whether an object, or one inside it, has a prototype made by a stranger. */
function hasForeignPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return 'polluted' in value && !Object.hasOwn(value, 'polluted')
    ? true
    : Object.values(value).some(hasForeignPrototype);
}

describe('what a hook prints reaches no prototype', () => {
  test.each(knownDialects)('output of $name hooks reaches no prototype', async (dialect) => {
    await lookedFor(dialect);
    for (const event of hookEventNames.filter((name) =>
      Object.values(dialect.events).includes(name),
    ))
      for (const stdout of texts) {
        const payload = { ...someFields[event] };
        const hook = definition(event);
        const answer = dialect.read(hook, exited({ stdout }), payload);
        expect(hasForeignPrototype(answer)).toBe(false);
        const { chain = passChanges, merge = mergeEffects } = dialect;
        const chained = chain(event, payload, answer);
        expect(hasForeignPrototype(chained)).toBe(false);
        expect(hasForeignPrototype(dialect.stdin(hook, chained, {}))).toBe(false);
        const verdict = merge(event, [{ hook: 'some hook', answer }], payload);
        expect(hasForeignPrototype(verdict)).toBe(false);
        expect(hasForeignPrototype(outputOf(verdict))).toBe(false);
      }
  });

  test.each([
    'BeforeTool',
    'AfterTool',
    'BeforeModel',
    'AfterModel',
    'BeforeToolSelection',
  ] as const)(
    'merged answers of %s, in parallel and in sequence, reach no prototype, and the denial among them stands',
    async (event: LifecycleEvent) => {
      const commands = [...texts.map((text) => `printf '%s' ${quoted(text)}`), 'exit 2'];
      for (const hooks of [inParallel(...commands), inSequence(...commands)]) {
        const session = await startSession({ [event]: hooks });
        const result = await session.fire(event, someFields[event]);
        expect(result.finalOutput?.isBlockingDecision()).toBe(true);
        expect(hasForeignPrototype(result)).toBe(false);
        expect(hasForeignPrototype(JSON.parse(JSON.stringify(result)))).toBe(false);
      }
    },
  );
});

test('answers of two dialects on one call reach no prototype, and the denial among them stands', async () => {
  const { local, start } = kodeletBox();
  texts.forEach((text, index) =>
    local(`${index}`, hookOf('before_tool_call', `printf '%s' ${quoted(text)}`)),
  );
  const commands = [...texts.map((text) => `printf '%s' ${quoted(text)}`), 'exit 2'];
  const hooks = { BeforeTool: inParallel(...commands) };
  const { fire } = await start({
    dialects: [llxprt, kodelet],
    settings: { tools: { enableHooks: true }, hooks },
  });
  const result = await fire('BeforeTool', someFields.BeforeTool);
  expect(new Set(result.results.map(({ hook }) => hook.dialect))).toEqual(
    new Set(['llxprt', 'kodelet']),
  );
  expect(result.finalOutput?.isBlockingDecision()).toBe(true);
  expect(hasForeignPrototype(result)).toBe(false);
});

test('arguments from the model reach no prototype', async () => {
  const session = await startSession({
    BeforeTool: inSequence(`printf '{"hookSpecificOutput":{"tool_input":{"a":1}}}'`, 'exit 2'),
  });
  const tool_input = JSON.parse(`{"__proto__":${json},"constructor":{"prototype":${json}}}`);
  const result = await session.fire('BeforeTool', { tool_name: '__proto__', tool_input });
  expect(result.finalOutput?.isBlockingDecision()).toBe(true);
  expect(hasForeignPrototype(result)).toBe(false);
});

test('a message on the bus reaches no prototype', async () => {
  const { ask } = await startBusSession({ BeforeTool: inParallel('exit 2') });
  for (const text of texts) {
    const tool_input = JSON.parse(text) as unknown;
    const payload = await ask('BeforeTool', { tool_name: 'x', tool_input });
    expect(payload.output?.finalOutput?.isBlockingDecision()).toBe(true);
    expect(hasForeignPrototype(payload)).toBe(false);
  }
});

test('settings reach no prototype and define no hook through one', () => {
  const box = sandbox();
  const hook = `{"type":"command","command":"touch pwned"}`;
  const group = `{"hooks":[${hook}]}`;
  const settings = [
    `{"__proto__":{"enableHooks":true,"hooks":{"BeforeTool":[${group}]}}}`,
    `{"hooks":{"__proto__":{"BeforeTool":[${group}]}}}`,
    `{"hooks":{"constructor":{"prototype":{"BeforeTool":[${group}]}}}}`,
    `{"hooksConfig":{"__proto__":{"enabled":true,"disabled":["x"]}}}`,
  ];
  for (const text of settings) {
    box.write(box.files.project, text);
    const { enabled, disabled, sources } = loadSettings(box.project);
    expect(enabled).toBeUndefined();
    expect(disabled).toEqual([{ source: 'project', file: box.files.project, names: [] }]);
    const hooks = (sources[0]?.hooks ?? {}) as { BeforeTool?: unknown };
    expect(hooks.BeforeTool).toBeUndefined();
  }
});

test('an extension with the name of a prototype is treated like any other', () => {
  const box = sandbox();
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
  for (const name of names)
    box.write(`home/.llxprt/extensions/${name}/hooks/hooks.json`, { hooks: { BeforeTool: [] } });
  box.write('home/.llxprt/extensions/extension-enablement.json', {});
  expect(loadSettings(box.project).sources).toHaveLength(names.length);
});
