import { checkEventFields } from '../../protocol/event-fields.ts';
import type { HookEventName } from '../../protocol/events.ts';
import { isRecord } from '../../protocol/output.ts';
import type { Dialect } from '../dialect.ts';

/** An event's own fields, which are in canonical form already (seed 003 "Input Interfaces"). */
export const readCall: Dialect['readCall'] = async (event, given) => {
  const checked = checkEventFields(event as HookEventName, await withStableRequest(given));
  return 'faults' in checked ? checked : { fields: checked.fields, context: {} };
};

/** Hooks see requests in one form only; seed 003's `contents` is brought into it (C-71). */
async function withStableRequest(given: Readonly<Record<string, unknown>>) {
  const request = given['llm_request'];
  if (!isRecord(request) || 'messages' in request || !('contents' in request)) return given;
  const { normalizeHookLLMRequest } = await import('../../translate/request.ts');
  const { contents: _, generationConfig: __, systemInstruction: ___, ...rest } = request;
  return { ...given, llm_request: { ...rest, ...normalizeHookLLMRequest(request).request } };
}

/** All of it is in canonical form, which the report has already. */
export const reportCall = () => ({});
