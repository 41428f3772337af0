/**
 * The parts of zod that describe settings. As npm ships it, it loads a hundred files, most of them
 * translations, so the build (launcher/bundle.ts) puts its code here in place of this export.
 */
export {
  array,
  boolean,
  custom,
  describe,
  discriminatedUnion,
  enum,
  exactOptional,
  globalRegistry,
  int,
  literal,
  looseObject,
  maximum,
  minimum,
  minLength,
  number,
  optional,
  positive,
  record,
  refine,
  regex,
  safeParse,
  strictObject,
  string,
  union,
  unknown,
} from 'zod/mini';
export type { infer, ZodMiniOptional, ZodMiniType } from 'zod/mini';
