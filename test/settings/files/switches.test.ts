import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../src/core/definitions/problem.ts';
import type { HookSource } from '../../../src/core/protocol/events.ts';
import {
  disabledHooks,
  failureDefault,
  isSwitchedOn,
  switchOf,
  switchProblems,
} from '../../../src/settings/files/switches.ts';

type Gates = readonly (boolean | undefined)[];

/** Settings with these values of the four gates. */
const settings = ([tools, top, config, hooks]: Gates) => ({
  tools: { enableHooks: tools },
  enableHooks: top,
  hooksConfig: { enabled: config },
  hooks: { enabled: hooks },
});

const states = [true, false, undefined];
const combinations: Gates[] = states.flatMap((tools) =>
  states.flatMap((top) =>
    states.flatMap((config) => states.map((hooks) => [tools, top, config, hooks])),
  ),
);

const word = (values: object) => switchOf('user', values as Readonly<Record<string, unknown>>).word;

describe('the switch of one level (C-01)', () => {
  test('one true gate switches hooks on unless any gate is false, and without gates nothing is said', () => {
    for (const gates of combinations)
      expect(word(settings(gates)), String(gates)).toBe(
        gates.includes(false) ? false : gates.includes(true) || undefined,
      );
  });

  test('a false on hooksConfig.enabled or hooks.enabled switches off the hooks of every dialect (S-13)', () => {
    for (const gates of combinations)
      expect(switchOf('user', settings(gates)).endsAll, String(gates)).toBe(
        gates[2] === false || gates[3] === false,
      );
  });

  test.each([
    ['tools.enableHooks', { tools: { enableHooks: true } }],
    ['enableHooks, as in the recipes', { enableHooks: true }],
    ['hooksConfig.enabled', { hooksConfig: { enabled: true } }],
    ['hooks.enabled', { hooks: { enabled: true } }],
  ])('%s alone switches hooks on', (_, values) => {
    expect(word(values)).toBe(true);
  });

  test('settings without a gate say nothing about switches, whatever else they hold', () => {
    expect(word({})).toBeUndefined();
    expect(word({ tools: {}, hooks: { BeforeTool: [] } })).toBeUndefined();
  });

  test.each(['true', 1, null, {}, [true]])('%j does not count as a switch', (value) => {
    expect(word({ tools: { enableHooks: value } })).toBeUndefined();
    expect(word({ tools: { enableHooks: value }, enableHooks: true })).toBe(true);
  });

  test.each([null, 5, 'on', [], [true]])('a section %j does not count as a switch', (section) => {
    expect(word({ tools: section, hooksConfig: section, hooks: section })).toBeUndefined();
  });
});

describe('the switches of all levels (C-01)', () => {
  const sources = ['system', 'user', 'project'] as const;
  const worlds = states.flatMap((system) =>
    states.flatMap((user) => states.map((project) => ({ system, user, project }))),
  );

  test('a false applies to its own level and weaker ones, and a true to all others', () => {
    for (const world of worlds) {
      const levels = sources.map((source) => switchOf(source, { enableHooks: world[source] }));
      const isOn = (source: HookSource) => isSwitchedOn(levels, source, true);
      const some = Object.values(world).includes(true);
      const system = world.system !== false;
      const user = system && world.user !== false;
      const project = user && world.project !== false;
      expect([...sources, 'extension' as const].map(isOn), JSON.stringify(world)).toEqual(
        [system, user, project, project].map((reached) => reached && some),
      );
    }
  });

  test('hooks that need no switch are off only if a level switches off those of every dialect', () => {
    for (const world of worlds) {
      const levels = sources.map((source) =>
        switchOf(source, { enableHooks: false, hooksConfig: { enabled: world[source] } }),
      );
      const system = world.system !== false;
      const user = system && world.user !== false;
      const project = user && world.project !== false;
      expect(
        sources.map((source) => isSwitchedOn(levels, source, false)),
        JSON.stringify(world),
      ).toEqual([system, user, project]);
    }
  });
});

describe('what a failure means by default (S-09)', () => {
  test.each([
    [{}, undefined],
    [{ defaultOnFailure: 'allow' }, 'allow'],
    [{ hooksConfig: { defaultOnFailure: 'continue' } }, 'allow'],
    [{ hooksConfig: { defaultOnFailure: 'block' } }, 'block'],
    [{ defaultOnFailure: 'block', hooksConfig: { defaultOnFailure: 'allow' } }, 'block'],
    [{ defaultOnFailure: null }, undefined],
    [{ defaultOnFailure: 'blok' }, 'block'],
  ])('the settings %j make the default for failures %j', (values, policy) => {
    expect(failureDefault(values)).toBe(policy);
  });

  test('a "defaultOnFailure" other than "allow" or "block" counts as "block" and is reported', () => {
    const values = { hooksConfig: { defaultOnFailure: 'deny' } };
    expect([...switchProblems({ values })].map(formatProblem)).toEqual([
      'hooksConfig.defaultOnFailure: is "deny", so it counts as "block"; write "allow" or "block"',
    ]);
  });
});

describe('the lists of disabled hooks (C-04)', () => {
  test('both lists of disabled hooks count', () => {
    const values = { hooksConfig: { disabled: ['a'] }, hooks: { disabled: ['b', 'echo c'] } };
    expect(disabledHooks(values)).toEqual(['a', 'b', 'echo c']);
  });

  test('an entry that is not a name is skipped and reported, and the others still count', () => {
    const values = { hooks: { disabled: ['a', 5, null, 'b'] }, hooksConfig: { disabled: 'c' } };
    expect(disabledHooks(values)).toEqual(['a', 'b']);
    expect([...switchProblems({ values })].map(formatProblem)).toEqual([
      'hooksConfig.disabled: is "c", so it was ignored; make it an array of hook names or commands',
      'hooks.disabled[1]: is 5, so it was ignored; make it the name or the command of a hook',
      'hooks.disabled[2]: is null, so it was ignored; make it the name or the command of a hook',
    ]);
  });
});

test('a switch of the wrong type is reported with its place and fix', () => {
  const values = { tools: { enableHooks: 'yes' }, enableHooks: { on: true } };
  expect([...switchProblems({ values })].map(formatProblem)).toEqual([
    'tools.enableHooks: is "yes", so it was ignored; make it true or false',
    'enableHooks: is an object, so it was ignored; make it true or false',
  ]);
});
