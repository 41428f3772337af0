import { z } from 'zod';
import { risks } from '../guards/risk.ts';
import { refused } from './refused.ts';

export const aText = z.string().max(1_000);
export const someJson = z.string();
export const anId = z.string().min(1).max(10_000);
export const aCount = z.int().min(0);
export const aNumber = z.string().regex(/^\d{1,18}$/);

export const aRisk = z.enum(risks);

export const aLease = z.object({ call: anId, number: aCount, host: aText });
export const aSubmission = z.object({
  id: anId,
  workspace: aText,
  session: anId.optional(),
  tool: aText,
  input: someJson,
  isCallers: z.boolean(),
});
export const aFilter = z.object({
  all: z.boolean().optional(),
  answered: z.boolean().optional(),
  workspace: aText.optional(),
  tool: aText.optional(),
  search: aText.optional(),
});
export const aPage = aFilter.extend({
  limit: z.int().min(1).max(10_000),
  after: aNumber.optional(),
  newestFirst: z.boolean(),
});
export const aJoiningHost = z.object({
  name: aText,
  workspace: aText,
  lostAfter: z.int().min(1),
  instance: z.uuid(),
  pid: aCount,
  process: aText.optional(),
  ended: z.uuid().optional(),
});
export const aWaitingCall = z.object({
  id: anId,
  workspace: aText,
  session: anId,
  tool: aText,
  input: someJson,
  judged: someJson,
  asked: someJson,
  digest: aText.optional(),
  risk: aRisk.optional(),
  expiresAfter: z.number().positive(),
});

export const anAnswer = z.object({
  decision: z.enum(['approved', 'denied', 'withdrawn']),
  by: aText,
  note: z.string().max(100_000).optional(),
  edited: someJson.optional(),
});

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
