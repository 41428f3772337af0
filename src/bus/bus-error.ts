import type { HookStage } from '../hooks/failure.ts';
import type { HookBusError, HookBusErrorCode } from './message-bus.ts';

/** An event name may be whatever was sent; so much of it is told back. */
export const longestName = 100;

/** So many faults are told; a sender with more has other worries. */
const mostFaults = 10;

/** The error of a response (C-97, C-99). */
export function busError(
  code: HookBusErrorCode,
  stage: HookStage,
  eventName: string | null,
  message: string,
  faults?: readonly string[],
): HookBusError {
  const told = faults?.slice(0, mostFaults);
  return {
    code,
    message: told ? `${message}: ${told.join('; ')}` : message,
    details: {
      stage,
      eventName: eventName?.slice(0, longestName) ?? null,
      ...(told && { faults: told }),
    },
  };
}
