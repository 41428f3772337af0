import { z } from 'zod';
import { refused } from './refused.ts';

export const text = z.string().max(1_000);
export const json = z.string();
export const id = z.string().min(1).max(10_000);
export const count = z.int().min(0);
export const number = z.string().regex(/^\d{1,18}$/);

export const lease = z.object({ call: id, number: count, host: text });
export const submission = z.object({
  id,
  workspace: text,
  session: id.optional(),
  tool: text,
  input: json,
  isCallers: z.boolean(),
});
export const filter = z.object({
  all: z.boolean().optional(),
  answered: z.boolean().optional(),
  workspace: text.optional(),
  tool: text.optional(),
  search: text.optional(),
});
export const page = filter.extend({
  limit: z.int().min(1).max(10_000),
  after: number.optional(),
  newestFirst: z.boolean(),
});
export const joining = z.object({
  name: text,
  workspace: text,
  lostAfter: z.int().min(1),
  instance: z.uuid(),
  pid: count,
  process: text.optional(),
  ended: z.uuid().optional(),
});
export const waiting = z.object({
  id,
  workspace: text,
  session: id,
  tool: text,
  input: json,
  judged: json,
  asked: json,
  expiresAfter: z.number().positive(),
});

export const decision = z.enum(['approved', 'denied', 'withdrawn']);
export const note = z.string().max(100_000).optional();

/** What is checked by these schemas, one after the other. */
export type Read<Items extends readonly z.ZodType[]> = {
  -readonly [At in keyof Items]: z.output<Items[At]>;
};

/**
 * Checks what an operation is to be given.
 *
 * @throws {HookmachineError} `HUB_REFUSED`
 */
export function readArguments<const Items extends readonly z.ZodType[]>(
  items: Items,
  given: readonly unknown[],
): Read<Items> {
  // What was left out at the end is missing, and what was left out before is null.
  const whole = items.map((_, at) => given[at] ?? undefined);
  const found = z.tuple(items as unknown as readonly [z.ZodType]).safeParse(whole);
  if (!found.success) throw refused(`what was sent is not valid (${z.prettifyError(found.error)})`);
  return found.data as unknown as Read<Items>;
}
