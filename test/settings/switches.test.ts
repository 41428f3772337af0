import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../src/settings/problem.ts';
import { disabledHooks, hooksEnabled, switchProblems } from '../../src/settings/switches.ts';

type Gates = readonly (boolean | undefined)[];

/** Settings with the four gates set so. */
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

describe('the switch of hooks (C-01)', () => {
  test('one true switches on, unless any gate is false; none says nothing', () => {
    for (const gates of combinations)
      expect(hooksEnabled([settings(gates)]), String(gates)).toBe(
        gates.includes(false) ? false : gates.includes(true) || undefined,
      );
  });

  test.each([
    ['tools.enableHooks', { tools: { enableHooks: true } }],
    ['enableHooks, as in the recipes', { enableHooks: true }],
    ['hooksConfig.enabled', { hooksConfig: { enabled: true } }],
    ['hooks.enabled', { hooks: { enabled: true } }],
  ])('%s alone switches hooks on', (_, values) => {
    expect(hooksEnabled([values])).toBe(true);
  });

  test('nothing is said by default, whatever else the settings hold', () => {
    expect(hooksEnabled([])).toBeUndefined();
    expect(hooksEnabled([{}, { tools: {}, hooks: { BeforeTool: [] } }])).toBeUndefined();
  });

  test('the strongest level that sets a gate sets it for all', () => {
    const [on, off] = [{ tools: { enableHooks: true } }, { tools: { enableHooks: false } }];
    expect(hooksEnabled([{}, on, off])).toBe(true);
    expect(hooksEnabled([{}, off, on])).toBe(false);
    expect(hooksEnabled([off, on, on])).toBe(false);
    expect(hooksEnabled([on, off, off])).toBe(true);
  });

  test('what the strongest level says stands, whatever gates the others set', () => {
    const [on, off] = [{ tools: { enableHooks: true } }, { hooksConfig: { enabled: false } }];
    expect(hooksEnabled([on, off, off])).toBe(true);
    expect(hooksEnabled([off, { enableHooks: true }, { tools: { enableHooks: true } }])).toBe(
      false,
    );
    expect(hooksEnabled([{ ...on, ...off }, on])).toBe(false);
  });

  test('a false at a weaker level holds against a true on another gate', () => {
    expect(hooksEnabled([{}, { enableHooks: true }, { tools: { enableHooks: false } }])).toBe(
      false,
    );
  });

  test.each(['true', 1, null, {}, [true]])('%j is no switch', (value) => {
    expect(hooksEnabled([{ tools: { enableHooks: value } }])).toBeUndefined();
    expect(hooksEnabled([{ tools: { enableHooks: value }, enableHooks: true }])).toBe(true);
  });

  test.each([null, 5, 'on', [], [true]])('a section that is %j holds no switch', (section) => {
    const values = { tools: section, hooksConfig: section, hooks: section };
    expect(hooksEnabled([values])).toBeUndefined();
  });
});

describe('the lists of disabled hooks (C-04)', () => {
  test('both lists count', () => {
    const values = { hooksConfig: { disabled: ['a'] }, hooks: { disabled: ['b', 'echo c'] } };
    expect(disabledHooks(values)).toEqual(['a', 'b', 'echo c']);
  });

  test('what is no name is left out and told, and costs the others nothing', () => {
    const values = { hooks: { disabled: ['a', 5, null, 'b'] }, hooksConfig: { disabled: 'c' } };
    expect(disabledHooks(values)).toEqual(['a', 'b']);
    expect([...switchProblems({ values })].map(formatProblem)).toEqual([
      'hooksConfig.disabled: is "c", so it was ignored; make it an array of hook names or commands',
      'hooks.disabled[1]: is 5, so it was ignored; make it the name or the command of a hook',
      'hooks.disabled[2]: is null, so it was ignored; make it the name or the command of a hook',
    ]);
  });
});

test('a switch of the wrong type is told with its place and mend', () => {
  const values = { tools: { enableHooks: 'yes' }, enableHooks: { on: true } };
  expect([...switchProblems({ values })].map(formatProblem)).toEqual([
    'tools.enableHooks: is "yes", so it was ignored; make it true or false',
    'enableHooks: is an object, so it was ignored; make it true or false',
  ]);
});
