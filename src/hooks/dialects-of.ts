import type { Dialect } from '../dialects/dialect.ts';
import { llxprt } from '../dialects/llxprt/index.ts';
import type { HookSystemConfig } from './config.ts';

/** The dialects whose hooks the host wants; one that does not say knows only hooks of the settings. */
export const dialectsOf = (config: HookSystemConfig): readonly Dialect[] =>
  config.getDialects?.() ?? [llxprt];
