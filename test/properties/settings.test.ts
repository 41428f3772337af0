import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hookEventNames } from '../../src/core/protocol/events.ts';
import { defineHooks } from '../../src/settings/files/define-hooks.ts';
import { parseJson } from '../../src/settings/files/parse-json.ts';
import { holds } from './check.ts';
import { jsonObject } from './endings.ts';

const event = fc.constantFrom(...hookEventNames);
const word = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => /\S/.test(text));

const goodHook = fc.record(
  {
    type: fc.constant('command'),
    command: word,
    name: word,
    timeout: fc.integer({ min: 1, max: 10_000 }),
  },
  { requiredKeys: ['type', 'command'] },
);
const goodGroup = fc.record(
  {
    matcher: fc.constantFrom('*', '', 'write_file|replace'),
    sequential: fc.boolean(),
    hooks: fc.array(goodHook, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ['hooks'] },
);
const goodHooks = fc.dictionary(event, fc.array(goodGroup, { maxLength: 3 }), { maxKeys: 4 });

/** What cannot be a hook: anything at all, as long as it names no command to run. */
const broken = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).filter((value) => !Array.isArray(value) || value.length > 0),
  jsonObject,
  fc.constantFrom<object>(
    { type: 'command' },
    { type: 'command', command: ' ' },
    { type: 'shell', command: 'true' },
    { command: 'true' },
  ),
);

/** Where the broken entry is put: among hooks, among groups, in place of an event's groups, as an event. */
const places = ['hook', 'group', 'groups', 'event'] as const;

type Group = { hooks: unknown[] };

/** Everything in a definition except its place, which moves when another entry comes before it. */
const loaded = (hooks: unknown) =>
  defineHooks({ source: 'project', hooks }).definitions.map(({ place: _, ...hook }) => hook);

test('one broken entry, whatever and wherever it is, does not affect the others (HOOK-082, 083)', () =>
  holds(
    fc.record({
      hooks: goodHooks,
      entry: broken,
      where: fc.constantFrom(...places),
      which: event,
      at: fc.nat(5),
    }),
    ({ hooks, entry, where, which, at }) => {
      const groups = (hooks[which] ?? []) as Group[];
      const spoilt = structuredClone(hooks) as Record<string, unknown>;
      const group = groups[at % Math.max(groups.length, 1)];
      if (where === 'hook' && group) {
        const index = groups.indexOf(group);
        const with_ = { ...group, hooks: group.hooks.toSpliced(at % 4, 0, entry) };
        spoilt[which] = groups.with(index, with_);
      } else if (where === 'group') spoilt[which] = groups.toSpliced(at % 4, 0, entry as Group);
      else if (where === 'groups' && groups.length === 0) spoilt[which] = entry;
      else spoilt['NoSuchEvent'] = entry;
      expect(loaded(spoilt)).toEqual(loaded(hooks));
    },
  ));

test('each broken entry is reported with its place and a fix', () =>
  holds(fc.record({ entry: broken, which: event }), ({ entry, which }) => {
    const hooks = { [which]: [{ hooks: [entry] }] };
    const { definitions, problems } = defineHooks({ source: 'project', hooks });
    expect(definitions).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]!.place).toContain(`hooks.${which}[0].hooks[0]`);
    expect(problems[0]!.fix).toMatch(/\S{4}/);
  }));

test('settings with comments and trailing commas mean the same as without them', () =>
  holds(goodHooks, (hooks) => {
    const json = JSON.stringify(hooks, null, 1);
    const commented = json.replaceAll(/\n(?= *[\]}])/g, ', // last\n');
    const parsed = parseJson(`/* hooks */ ${commented}`);
    expect('value' in parsed && loaded(parsed.value)).toEqual(loaded(hooks));
  }));
