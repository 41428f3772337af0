import { HookEventName } from '../../protocol/events.ts';
import type { Dialect } from '../dialect.ts';
import { readAnswer } from './answer.ts';
import { readCall, reportCall } from './call.ts';
import { chainPayload } from './chain.ts';
import { findHooks, identityOf } from './find.ts';
import { compileMatcher, usesOf } from './matcher.ts';
import { mergeAnswers } from './merge-answers.ts';

/** LLxprt's protocol, which Gemini CLI's hooks speak too (seed 000). */
export const llxprt: Dialect = {
  name: 'llxprt',
  family: 'llxprt',
  events: HookEventName,
  needsSwitch: true,
  unasked: 'passes',
  guarded: [
    '.llxprt/settings.json',
    '.llxprt/hookmachine-*',
    '.llxprt/trusted*.json',
    '.llxprt/.env',
    '.llxprt/hooks/',
    '.llxprt/extensions/',
  ],
  mayBeIn: () => true,
  find: findHooks,
  identity: identityOf,
  matcherOf: ({ event, matcher }) => (usesOf(event) === 'ignored' ? undefined : matcher || '*'),
  compileMatcher: ({ event, matcher }, onUndecided) => compileMatcher(event, matcher, onUndecided),
  // One group that asked for a sequence makes all of them one (HOOK-109, C-22).
  mode: (hooks) => (hooks.some(({ sequential }) => sequential) ? 'sequential' : 'parallel'),
  environment: (_, { cwd }) => ({
    LLXPRT_PROJECT_DIR: cwd,
    GEMINI_PROJECT_DIR: cwd,
    CLAUDE_PROJECT_DIR: cwd,
  }),
  stdin: (_, payload) => payload,
  read: ({ event }, outcome, payload) => readAnswer(event, outcome, payload),
  chain: chainPayload,
  merge: mergeAnswers,
  readCall,
  reportCall,
};
