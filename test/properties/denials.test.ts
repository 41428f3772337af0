import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hookEventNames, type HookEventName } from '../../src/core/protocol/events.ts';
import { holds } from './check.ts';
import { denial, scriptedHook } from './endings.ts';
import { play, verdictOf, type ScriptedHook } from './scripted-event.ts';

const event = fc.constantFrom(...hookEventNames);

/** The events that Kodelet's hooks can block. */
const mayBlock: readonly HookEventName[] = ['BeforeTool', 'BeforeAgent'];

/** Hooks that a host may have together: only one of Kodelet's two modes at a time. */
const anyHook = (kodelet: string) => scriptedHook('llxprt', kodelet);
const companies = fc.constantFrom('kodelet', 'kodelet-strict').chain((kodelet) =>
  fc.record({
    kodelet: fc.constant(kodelet),
    hooks: fc.array(anyHook(kodelet), { maxLength: 4 }),
  }),
);

/** Adds one more hook somewhere in the plan. */
const withOneMore = (hooks: readonly ScriptedHook[], one: ScriptedHook, place: number) =>
  hooks.toSpliced(place % (hooks.length + 1), 0, one);

describe('denials are monotone', () => {
  test('one more parallel hook, whatever it ends with, undoes no block and no stop', async () => {
    const hook = anyHook('kodelet');
    const cases = fc.record({
      event,
      hooks: fc.array(hook, { minLength: 1, maxLength: 5 }),
      more: hook,
      place: fc.nat(5),
    });
    await holds(cases, async ({ event: name, hooks, more, place }) => {
      const before = verdictOf(await play({ event: name, mode: 'parallel', hooks }));
      const together = withOneMore(hooks, more, place);
      const after = verdictOf(await play({ event: name, mode: 'parallel', hooks: together }));
      expect(after).toEqual({
        blocked: before.blocked || after.blocked,
        stop: before.stop || after.stop,
      });
    });
  });

  test.each(['parallel', 'sequential'] as const)(
    "no hook of any dialect undoes another dialect's denial in %s plans",
    async (mode) => {
      const cases = fc
        .record({ event, company: companies, place: fc.nat(4), isKodelets: fc.boolean() })
        .chain(({ company: { kodelet, hooks }, isKodelets, ...rest }) => {
          const dialect = isKodelets && mayBlock.includes(rest.event) ? kodelet : 'llxprt';
          // Only in the bug-compatible dialect may another hook of the same dialect answer after the denial.
          const company = hooks.filter(
            (hook) => dialect !== 'kodelet-strict' || hook.dialect !== dialect,
          );
          return denial(dialect).map((denying) => ({ ...rest, dialect, hooks: company, denying }));
        });
      await holds(cases, async ({ event: name, dialect, hooks, denying, place }) => {
        const together = withOneMore(hooks, { dialect, ending: denying }, place);
        // A sequence is run until it ends by itself, wherever that is.
        const { blocked, stop } = verdictOf(await play({ event: name, mode, hooks: together }));
        if (mode === 'parallel') expect(blocked).toBe(true);
        // In a sequence, an earlier stop keeps the denying hook from being asked: a stop forbids as well.
        else expect(blocked || stop).toBe(true);
      });
    },
  );
});
