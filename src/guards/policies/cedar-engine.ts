import { createHash } from 'node:crypto';
import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs';
import type { CedarOptions } from './cedar-options.ts';
import type { PolicyAnswer, PolicyEngine, PolicyEntity, PolicyRequest } from './engine.ts';
import type { PolicyText } from '../../settings/files/policy-files.ts';

/** What of Cedar is used. */
export type CedarPackage = Pick<
  typeof Cedar,
  | 'policySetTextToParts'
  | 'policyToJson'
  | 'preparsePolicySet'
  | 'statefulIsAuthorized'
  | 'checkParseEntities'
>;

/** One policy, by what people need to know of it. */
export interface NamedPolicy {
  /** The file that it is in, and the line on which it begins. */
  readonly path: string;
  readonly line: number;
  /** Its file and its `@id`, or its number in the file: `network.cedar#no-uploads`. */
  readonly id: string;
  readonly text: string;
  readonly effect: 'permit' | 'forbid';
  readonly reason?: string | undefined;
  readonly asks: boolean;
  /** The actions and groups that it is about; undefined: any. */
  readonly actions: readonly string[] | undefined;
}

/** Says what Cedar found wrong, with the place in the text. */
export function messageIn(errors: readonly Cedar.DetailedError[], text = ''): string {
  const [error] = errors;
  if (error === undefined) return 'cannot be read';
  const [location] = error.sourceLocations ?? [];
  const line = location && text.slice(0, location.start).split('\n').length;
  return [
    ...(line === undefined ? [] : [`line ${line}: `]),
    error.message.replace(/^failed to parse \w+(?: \w+)* from string: /, ''),
    ...(location?.label ? [` (${location.label})`] : []),
    ...(error.help ? [`; ${error.help}`] : []),
  ].join('');
}

/** @throws an error that names the file and the line */
export function namedPolicies(
  cedar: CedarPackage,
  { path, name, text }: PolicyText,
): NamedPolicy[] {
  const parts = cedar.policySetTextToParts(text);
  if (parts.type === 'failure') throw new Error(`${name}: ${messageIn(parts.errors, text)}`);
  if (parts.policy_templates.length > 0)
    throw new Error(
      `${name}: it holds a template, and nothing fills in its slots; write the policy out`,
    );
  // Cedar lists the policies of a text in an order of its own.
  return parts.policies
    .map((policy) => ({ policy, at: text.indexOf(policy) }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ policy, at }, index) => {
      const read = cedar.policyToJson(policy);
      if (read.type === 'failure') throw new Error(`${name}: ${messageIn(read.errors, policy)}`);
      const { effect, annotations = {} } = read.json;
      return {
        path,
        line: text.slice(0, at).split('\n').length,
        id: `${name}#${annotations['id'] ?? index + 1}`,
        text: policy,
        effect,
        reason: annotations['reason'] ?? undefined,
        asks: Object.hasOwn(annotations, 'ask'),
        actions: actionsIn(read.json.action),
      };
    });
}

function actionsIn(scope: Cedar.ActionConstraint): readonly string[] | undefined {
  if (scope.op === 'All') return undefined;
  const named = 'entities' in scope ? scope.entities : 'entity' in scope ? [scope.entity] : [];
  return named.map(nameOf);
}

/** By what they were made of, so that events of any agent may share them. */
const engines = new Map<string, PolicyEngine>();

/** How many sets of policies are kept ready. */
const mostEngines = 20;

/** Returns what judges by these policies; the same policies are prepared once. */
export function cedarEngine(
  cedar: CedarPackage,
  texts: readonly PolicyText[],
  options: CedarOptions = {},
): PolicyEngine {
  const key = createHash('sha256')
    .update(JSON.stringify([texts.map(({ name, text }) => [name, text]), options]))
    .digest('hex');
  const engine = engines.get(key) ?? prepare(cedar, key, texts, options);
  engines.delete(key);
  engines.set(key, engine);
  for (const oldest of engines.keys()) if (engines.size > mostEngines) engines.delete(oldest);
  return engine;
}

function prepare(
  cedar: CedarPackage,
  key: string,
  texts: readonly PolicyText[],
  { entities, denies }: CedarOptions,
): PolicyEngine {
  const policies = new Map<string, NamedPolicy>();
  for (const policy of texts.flatMap((text) => namedPolicies(cedar, text))) {
    if (policies.has(policy.id))
      throw new Error(`there are two policies ${policy.id}; give each its own @id`);
    policies.set(policy.id, policy);
  }
  const own = entities === undefined ? [] : readEntities(cedar, entities);
  const staticPolicies = Object.fromEntries([...policies].map(([id, { text }]) => [id, text]));
  const prepared = cedar.preparsePolicySet(key, { staticPolicies });
  if (prepared.type === 'failure') throw new Error(messageIn(prepared.errors));
  const actions = [...policies.values()].map((policy) => policy.actions);
  // What no policy is about need not be asked.
  const isAskedAbout = (names: readonly string[]): boolean =>
    denies === true ||
    actions.some((some) => some === undefined || names.some((name) => some.includes(name)));
  return {
    judge: ({ principal, action, resource, context, entities: given }) => {
      const known = given.find(({ uid }) => nameOf(uid) === nameOf(action));
      if (!isAskedAbout([action, ...(known?.parents ?? [])].map(nameOf)))
        return { policies: [], errors: [] };
      const answer = cedar.statefulIsAuthorized({
        principal,
        action,
        resource,
        context: withTime(context),
        preparsedPolicySetId: key,
        entities: together(given, own),
      });
      if (answer.type === 'failure') throw new Error(messageIn(answer.errors));
      return answerOf(answer.response, policies, denies === true);
    },
  };
}

/** @throws an error that says what is wrong with the entities */
export function readEntities(cedar: CedarPackage, text: string): Cedar.EntityJson[] {
  let entities: Cedar.EntityJson[];
  try {
    entities = JSON.parse(text) as Cedar.EntityJson[];
  } catch (cause) {
    throw new Error(`the entities are not JSON: ${(cause as Error).message}`, { cause });
  }
  const checked = cedar.checkParseEntities({ entities });
  if (checked.type === 'failure') throw new Error(`the entities: ${messageIn(checked.errors)}`);
  return entities;
}

const withTime = ({ now, ...context }: PolicyRequest['context']): Cedar.Context => ({
  ...(context as Cedar.Context),
  ...(typeof now === 'string' && { now: { __extn: { fn: 'datetime', arg: now } } }),
});

const nameOf = (uid: Cedar.EntityUidJson): string => {
  const { type, id } = '__entity' in uid ? uid.__entity : uid;
  return JSON.stringify([type, id]);
};

/** An entity of one's own adds what it is in, and attributes, to the one that the event has. */
function together(
  given: readonly PolicyEntity[],
  own: readonly Cedar.EntityJson[],
): Cedar.EntityJson[] {
  const all = new Map(own.map((entity) => [nameOf(entity.uid), entity]));
  for (const { uid, attrs, tags = {}, parents } of given) {
    const known = all.get(nameOf(uid));
    all.set(nameOf(uid), {
      uid,
      attrs: { ...known?.attrs, ...(attrs as Cedar.EntityJson['attrs']) },
      tags: { ...known?.tags, ...tags },
      parents: [...parents, ...(known?.parents ?? [])],
    });
  }
  return [...all.values()];
}

/** A policy about an attribute that something does not have is not about that thing. */
const isAbout = ({ error }: Cedar.AuthorizationError): boolean =>
  !/does not have the (?:attribute|tag)|record does not|does not exist/.test(error.message);

function answerOf(
  { decision, diagnostics }: Cedar.Response,
  policies: ReadonlyMap<string, NamedPolicy>,
  denies: boolean,
): PolicyAnswer {
  const deciding = diagnostics.reason.flatMap((id) => policies.get(id) ?? []);
  const errors = diagnostics.errors
    .filter(isAbout)
    .map(({ policyId, error }) => `${policyId}: ${messageIn([error])}`);
  const said = (some: readonly NamedPolicy[]) => ({
    reason: [...new Set(some.flatMap(({ reason }) => reason ?? []))].join(' ') || undefined,
    policies: some.map(({ id }) => id).toSorted(),
    errors,
  });
  if (decision === 'deny') {
    if (deciding.length === 0)
      return denies
        ? {
            decision: 'deny',
            reason: 'No policy permits this.',
            policies: ['default: deny'],
            errors,
          }
        : { policies: [], errors };
    const denials = deciding.filter(({ asks }) => !asks);
    return denials.length > 0
      ? { decision: 'deny', ...said(denials) }
      : { decision: 'ask', ...said(deciding) };
  }
  // A permission that asks is one that no other gives without asking.
  return denies && deciding.every(({ asks }) => asks)
    ? { decision: 'ask', ...said(deciding) }
    : { policies: [], errors };
}
