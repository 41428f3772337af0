import type { HookEventName } from '../../src/core/points/hook-points.ts';
import type { RegisteredHook } from '../../src/core/definitions/hook-definition.ts';

/** A hook of an event, with what a definition must have. */
export const definition = (
  event: HookEventName,
  more: Partial<RegisteredHook> = {},
): RegisteredHook => ({
  event,
  type: 'command',
  command: 'hook',
  name: 'hook',
  timeout: 1_000,
  sequential: false,
  source: 'user',
  place: '',
  env: {},
  dialect: 'llxprt',
  enabled: true,
  ...more,
});
