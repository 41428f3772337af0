import { z } from 'zod';

/** A text to find, or a regular expression between slashes such as `/done|finished/i`. */
const pattern = z
  .string()
  .min(1)
  .refine((text) => patternOf(text) !== undefined, {
    params: { fix: 'fix the regular expression' },
  });
const patterns = z.union([pattern, z.array(pattern)]);
const milliseconds = z.number().min(0).max(3_600_000);
const count = z.int().min(0);

/** One answer of a scripted model. */
export const turnSchema = z.strictObject({
  /**
   * What the last message must contain, for tests; under `request`, what the whole request must contain as
   * JSON.
   */
  expect: z
    .union([patterns, z.strictObject({ last: patterns.optional(), request: patterns.optional() })])
    .optional(),
  /** Streamed word by word. */
  text: z.string().optional(),
  /** Tool calls after the text. */
  calls: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        args: z.record(z.string(), z.unknown()).optional(),
        id: z.string().min(1).optional(),
      }),
    )
    .optional(),
  /** The provider fails with this message, after the text. */
  error: z
    .union([
      z.string().min(1),
      z.strictObject({ message: z.string().min(1), status: z.int().min(400).max(599).optional() }),
    ])
    .optional(),
  /** Milliseconds before the first word. */
  delay: milliseconds.optional(),
  /** Milliseconds between the words. */
  wordDelay: milliseconds.optional(),
  finishReason: z.enum(['STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'OTHER']).optional(),
  usage: z
    .strictObject({
      promptTokenCount: count.optional(),
      candidatesTokenCount: count.optional(),
      totalTokenCount: count.optional(),
    })
    .optional(),
});

export type ScriptedTurn = z.input<typeof turnSchema>;

/** A turn and its place in the file. */
export interface PlacedTurn {
  readonly turn: ScriptedTurn;
  /** Such as `session.yaml:3:3`. */
  readonly place?: string;
}

/** Returns a pattern as a regular expression; undefined if it is malformed. */
export function patternOf(text: string): RegExp | undefined {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? [];
  try {
    return source === undefined
      ? new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
      : new RegExp(source, flags?.replaceAll(/[gy]/g, ''));
  } catch {
    return undefined;
  }
}
