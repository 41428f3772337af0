/**
 * `hookmachine/policies`: hooks that judge by policies, in Cedar or in any language for which you bring an
 * engine.
 */

import { loadCedar } from '../guards/policies/cedar-package.ts';
import { cedarEngine } from '../guards/policies/cedar-engine.ts';
import type { CedarOptions } from '../guards/policies/cedar-options.ts';
import {
  judgeRequests,
  type PolicyEngine,
  type PolicyRequest,
  type PolicyVerdict,
} from '../guards/policies/engine.ts';
import { policyRequests, type PolicyEvent } from '../guards/policies/policy-requests.ts';

export { cedarSchema } from '../guards/policies/cedar-schema.ts';
export { policyRequests };
export type { CedarOptions } from '../guards/policies/cedar-options.ts';
export type {
  EntityName,
  PolicyAnswer,
  PolicyEngine,
  PolicyEntity,
  PolicyRequest,
  PolicyValue,
  PolicyVerdict,
} from '../guards/policies/engine.ts';
export type { PolicyEvent };

/**
 * Returns a hook that asks an engine what an event comes to: a module's default export, or the `call` of a function
 * hook. One denial denies; one question asks.
 *
 * @throws (the hook) an error that names the policies that could not be evaluated, so that the hook fails
 * @example
 * export default policyHook({
 *   judge: ({ action, resource }) =>
 *     action.id === 'send' && resource.id !== 'api.acme.dev'
 *       ? { decision: 'deny', reason: 'Only our own API.', policies: ['api-only'], errors: [] }
 *       : { policies: [], errors: [] },
 * });
 */
export const policyHook =
  (engine: PolicyEngine | Promise<PolicyEngine>) =>
  async (event: object): Promise<PolicyVerdict | undefined> =>
    judgeRequests(await engine, policyRequests({ ...event }));

/**
 * Returns an engine for Cedar policies that a program has as a text. Settings name files instead:
 * `{ "type": "cedar", "policies": "policies/" }`.
 *
 * @throws an error that says which policy is wrong and on which line, or which package to install
 */
export const cedarPolicies = async (
  policies: string,
  options: CedarOptions = {},
): Promise<PolicyEngine> =>
  cedarEngine(await loadCedar(), [{ path: 'policies', name: 'policies', text: policies }], options);

/** The entity that a question is about. */
export const resourceOf = ({
  resource,
  entities,
}: PolicyRequest): PolicyRequest['entities'][number] =>
  entities.find(({ uid }) => uid.type === resource.type && uid.id === resource.id)!;
