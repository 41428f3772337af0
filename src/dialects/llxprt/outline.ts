import { HookEventName } from '../../protocol/events.ts';
import type { DialectOutline } from '../dialect.ts';
import { readCall, reportCall } from './call.ts';
import { findHooks, identityOf } from './find.ts';
import { compileMatcher, matching } from './matcher.ts';

/** LLxprt's protocol before a hook runs. */
export const llxprtOutline: DialectOutline = {
  name: 'llxprt',
  family: 'llxprt',
  events: HookEventName,
  needsSwitch: true,
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
  matcherOf: ({ event, matcher }) => (matching[event] === 'ignored' ? undefined : matcher || '*'),
  compileMatcher: ({ event, matcher }, onUndecided) => compileMatcher(event, matcher, onUndecided),
  readCall,
  reportCall,
};
