import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hookEventNames } from '../../src/core/protocol/events.ts';
import { holds, times } from './check.ts';
import { scriptedHook } from './endings.ts';
import { play } from './scripted-event.ts';

const ordersOfEach = 10;
const plans = 50;

const scheduled = fc
  .record({
    event: fc.constantFrom(...hookEventNames),
    hooks: fc.array(scriptedHook('llxprt', 'kodelet'), { minLength: 2, maxLength: 6 }),
  })
  .chain(({ event, hooks }) => {
    const positions = hooks.map((_, index) => index);
    const order = fc.shuffledSubarray(positions, { minLength: positions.length });
    const orders = fc.array(order, { minLength: ordersOfEach, maxLength: ordersOfEach });
    return fc.record({ event: fc.constant(event), hooks: fc.constant(hooks), orders });
  });

test('no order in which parallel hooks finish changes their combined result', async () => {
  let schedules = 0;
  await holds(
    scheduled,
    async ({ event, hooks, orders }) => {
      const inPlanOrder = await play({ event, mode: 'parallel', hooks });
      for (const order of orders) {
        const inThisOrder = await play({ event, mode: 'parallel', hooks, order });
        // Thousands of comparisons with `expect` would take most of the time.
        if (!isDeepStrictEqual(inThisOrder, inPlanOrder)) expect(inThisOrder).toEqual(inPlanOrder);
        schedules += 1;
      }
    },
    plans,
  );
  expect(schedules).toBeGreaterThanOrEqual(plans * ordersOfEach * times);
});
