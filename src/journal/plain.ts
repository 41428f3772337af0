import type { HookAnswer } from '../../machines/hook-event.ts';
import { failureCode } from '../failure-code.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';

/*
 * What a journal without payloads holds in the place of texts that may quote a model, a tool or a hook.
 */

/** Matches the names that tools, parameters, models and calls usually have. A model can make up others. */
const usual = /^[\p{L}\p{N}_$][\p{L}\p{N}_$.:/@-]{0,127}$/u;

const unusual = '(unusual name)';

/** Returns a name that a model may have made up, if it looks like a name. */
export const plainName = (name: string): string =>
  name === '' || usual.test(name) ? name : unusual;

/** Returns the name of a field such as `tool_input.command`, whose last part a model may have made up. */
export function plainField(field: string): string {
  if (usual.test(field)) return field;
  const slot = field.slice(0, Math.max(0, field.indexOf('.')));
  return usual.test(slot) ? `${slot}.${unusual}` : unusual;
}

/**
 * Returns the reason for a denial as hooks themselves gave it. The reason of a hook that failed may contain
 * anything that it printed or threw, so its code is returned instead.
 */
export function plainDenial(
  { results = [], failure }: Partial<AggregatedHookResult>,
  reason: string | undefined,
): string | undefined {
  const denying = results.filter(({ decision }) => decision === 'deny');
  const failed = denying.filter(({ status }) => status !== 'ok');
  if (failed.length === 0 && failure === undefined) return reason;
  const said = denying.map((answer) =>
    answer.status === 'ok'
      ? answer.reason
      : `Blocked because the hook "${answer.hook.name}" failed: ${failureCode(answer) ?? answer.status}`,
  );
  return said.length > 0
    ? said.filter((text) => text !== undefined).join('\n')
    : `Blocked because the hooks could not be run: ${failure!.stage}`;
}

/** Whether the reason of an answer explains a decision; anything else is only something that a hook wrote. */
export const explainsDecision = ({ status, decision, stop }: HookAnswer): boolean =>
  status === 'ok' && (decision !== undefined || stop);
