import { field, type Fields } from './field.ts';
import * as z from './zod.ts';

/** Tokens as a number, or money and tokens as people write them. */
const amountShape =
  /^\s*(?:\$\s*\d+(?:\.\d+)?|\d+(?:\.\d+)?\s*(?:USD|\$|[kM]?(?:\s*tokens)?))\s*$/i;

const amount = () =>
  z.union([z.number().check(z.minimum(0)), z.string().check(z.regex(amountShape))]);

const amountFix = 'write tokens as a number, such as 2000000 or "2M", or money, such as "$5"';

/** The fields of `budget`. */
export const budgetFields = {
  session: field(amount, {
    about: 'How much one session of an agent may use.',
    fix: amountFix,
    fate: 'the session may use nothing',
  }),
  day: field(amount, {
    about: 'How much all sessions of this user may use in a day, by the local clock.',
    fix: amountFix,
    fate: 'nothing may be used',
  }),
  perModel: field(() => z.record(z.string(), amount()), {
    about: 'How much models may use in a day, by name or pattern with "*".',
    fix: 'make it an object: { "claude-opus-*": "$10" }',
    fate: 'nothing may be used',
  }),
  warnAt: field(() => z.number().check(z.minimum(0), z.maximum(1)), {
    about: 'The part of an amount at which the user is warned once; default 0.8.',
    fix: 'write a number between 0 and 1',
    fate: 'it is 0.8',
  }),
  over: field(() => z.enum(['stop', 'ask', 'warn']), {
    about:
      'What happens when an amount is used up. "stop" (the default): the agent is stopped at its next model call or tool call. "ask": the user is asked about each tool call, and model calls end. "warn": the user is told.',
    fix: 'write "stop", "ask" or "warn"',
    fate: 'it is "stop"',
  }),
  prices: field(
    () =>
      z.record(
        z.string(),
        z.strictObject({
          input: z.number(),
          output: z.number(),
          cached: z.optional(z.number()),
          written: z.optional(z.number()),
        }),
      ),
    {
      about:
        'Prices in US dollars for a million tokens, by a model\'s name or a pattern with "*", in place of the known ones. "cached" and "written" are for tokens read from and written to the provider\'s cache; default: the price of input.',
      fix: 'make it an object: { "my-model": { "input": 1.5, "output": 6 } }',
    },
  ),
} as const satisfies Fields;
