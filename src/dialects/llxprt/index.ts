import { HookEventName } from '../../protocol/events.ts';
import type { Dialect } from '../dialect.ts';
import { readAnswer } from './answer.ts';
import { readCall, reportCall } from './call.ts';
import { chainPayload } from './chain.ts';
import { findHooks, identityOf } from './find.ts';
import { compileMatcher, matching } from './matcher.ts';

/** LLxprt's protocol, which Gemini CLI's hooks speak too (seed 000). */
export const llxprt: Dialect = {
  name: 'llxprt',
  family: 'llxprt',
  events: HookEventName,
  needsSwitch: true,
  mayBeIn: () => true,
  find: findHooks,
  identity: identityOf,
  matcherOf: ({ event, matcher }) => (matching[event] === 'ignored' ? undefined : matcher || '*'),
  compileMatcher: ({ event, matcher }, onUndecided) => compileMatcher(event, matcher, onUndecided),
  environment: ({ cwd }) => ({
    LLXPRT_PROJECT_DIR: cwd,
    GEMINI_PROJECT_DIR: cwd,
    CLAUDE_PROJECT_DIR: cwd,
  }),
  stdin: (_, payload) => payload,
  read: readAnswer,
  chain: chainPayload,
  standing: (answers) => answers,
  readCall,
  reportCall,
};
