import { readFileSync } from 'node:fs';
import { parse } from '@marcbachmann/cel-js';
import { policyHook, resourceOf } from 'hookmachine/policies';

const policies = JSON.parse(readFileSync(new URL('policies.json', import.meta.url), 'utf8')).map(
  (policy) => ({ ...policy, matches: parse(policy.when) }),
);

/** An engine for the Common Expression Language: each policy has a condition, an answer and a reason. */
const cel = {
  judge(request) {
    const { attrs: resource } = resourceOf(request);
    const asked = { action: request.action.id, resource, context: request.context };
    const errors = [];
    const matching = policies.filter(({ id, matches }) => {
      try {
        return matches(asked);
      } catch (error) {
        errors.push(`${id}: ${error.message}`);
        return false;
      }
    });
    const deciding = ['deny', 'ask']
      .map((answer) => matching.filter((policy) => policy.answer === answer))
      .find((some) => some.length > 0);
    return {
      decision: deciding?.[0].answer,
      reason: deciding?.map(({ reason }) => reason).join(' '),
      policies: (deciding ?? []).map(({ id }) => id),
      errors,
    };
  },
};

export default policyHook(cel);
