import { resolve } from 'node:path';
import { messageOf } from '../../base/message-of.ts';
import type { RegisteredHook } from '../../core/definitions/hook-definition.ts';
import { readPolicies, readText } from '../../settings/files/policy-files.ts';
import { messageIn, namedPolicies, readEntities } from '../../guards/policies/cedar-engine.ts';
import { loadCedar } from '../../guards/policies/cedar-package.ts';
import { cedarSchema } from '../../guards/policies/cedar-schema.ts';
import { type CheckProblem, ofHook } from './check-problem.ts';

/** Returns what is wrong with the policies of a `cedar` hook: their notation, and what they speak about. */
export async function checkPolicies(hook: RegisteredHook, folder: string): Promise<CheckProblem[]> {
  const problem = (message: string, fix: string): CheckProblem =>
    ofHook(hook, 'policy', message, fix);
  try {
    const cedar = await loadCedar();
    const policies = readPolicies(hook, folder).flatMap((text) => namedPolicies(cedar, text));
    if (hook.entities !== undefined) readEntities(cedar, readText(resolve(folder, hook.entities)));
    // Policies of another product speak about what that product knows.
    if (hook.request !== undefined && hook.schema === undefined) return [];
    const schema = hook.schema === undefined ? cedarSchema : readText(resolve(folder, hook.schema));
    const staticPolicies = Object.fromEntries(policies.map(({ id, text }) => [id, text]));
    const fix =
      hook.schema === undefined
        ? 'write what "hookmachine schema --cedar" lists, and name the action, so that the policy is only about things that have it'
        : 'fix the policy, or the schema';
    const answer = cedar.validate({ schema, policies: { staticPolicies } });
    if (answer.type === 'failure')
      return [problem(`cannot be checked: ${messageIn(answer.errors)}`, 'fix the schema')];
    const wrong = [...answer.validationErrors, ...answer.validationWarnings];
    // A policy about everything is wrong in the same way for each kind of thing.
    return policies.flatMap(({ id, path, line }): CheckProblem[] => {
      const [first] = wrong.filter(({ policyId }) => policyId === id);
      if (first === undefined) return [];
      const message = `does not fit the schema: ${first.error.message.replace(/^for policy `[^`]*`, /, '')}`;
      return [{ file: path, line, column: 1, place: id, code: 'policy', message, fix }];
    });
  } catch (error) {
    return [problem(`cannot judge anything: ${messageOf(error)}`, 'fix it, or remove the hook')];
  }
}
