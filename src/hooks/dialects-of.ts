import type { Dialect } from '../dialects/dialect.ts';
import { llxprt } from '../dialects/llxprt/index.ts';
import type { HookHost } from './config.ts';

/** The dialects whose hooks the host wants; one that does not say knows only hooks of the settings. */
export const dialectsOf = (config: HookHost): readonly Dialect[] =>
  config.getDialects?.() ?? [llxprt];
