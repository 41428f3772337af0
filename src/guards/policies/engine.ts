/*
 * The seam between hooks and policy languages: what an event means as questions (`policy-requests.ts`), and what
 * an engine answers. A language needs nothing else; Cedar is one of several.
 */

/** A value that policies can compare. */
export type PolicyValue =
  | string
  | number
  | boolean
  | readonly PolicyValue[]
  | { readonly [key: string]: PolicyValue };

/** The name of an entity: `{ type: 'File', id: '/tmp/a' }`. */
export interface EntityName {
  readonly type: string;
  readonly id: string;
}

/** Something that policies speak about. */
export interface PolicyEntity {
  readonly uid: EntityName;
  readonly attrs: Readonly<Record<string, PolicyValue>>;
  /** Texts under names that no schema lists, such as a call's arguments. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly parents: readonly EntityName[];
}

/** One question: may this principal do this to that? */
export interface PolicyRequest {
  readonly principal: EntityName;
  readonly action: EntityName;
  readonly resource: EntityName;
  readonly context: Readonly<Record<string, PolicyValue>>;
  readonly entities: readonly PolicyEntity[];
  /** The part of the call that it is about, for people. */
  readonly about: string;
}

/** What an engine answers to one question. */
export interface PolicyAnswer {
  /** Absent: it has no opinion. */
  readonly decision?: 'deny' | 'ask' | undefined;
  readonly reason?: string | undefined;
  /** The ids of the policies that decided. */
  readonly policies: readonly string[];
  /** Policies that could not be evaluated, and why. */
  readonly errors: readonly string[];
}

/** Something that answers questions by policies. */
export interface PolicyEngine {
  readonly judge: (request: PolicyRequest) => PolicyAnswer | Promise<PolicyAnswer>;
}

/** What a hook of policies answers. */
export interface PolicyVerdict {
  readonly decision?: 'deny' | 'ask';
  readonly reason?: string;
}

const mostReasons = 3;

/**
 * Asks an engine everything that an event comes to. One denial denies, one question asks.
 *
 * @throws an error that names the policies that could not be evaluated, unless another one denies
 */
export async function judgeRequests(
  engine: PolicyEngine,
  requests: readonly PolicyRequest[],
): Promise<PolicyVerdict | undefined> {
  const answers = await Promise.all(
    requests.map(async (request) => ({ request, answer: await engine.judge(request) })),
  );
  const saying = (decision: PolicyAnswer['decision']): string[] =>
    answers.flatMap(({ request, answer }) =>
      answer.decision === decision ? sentenceOf(request, answer) : [],
    );
  const denials = saying('deny');
  if (denials.length > 0) return { decision: 'deny', reason: joined(denials) };
  const errors = new Set(answers.flatMap(({ answer }) => answer.errors));
  if (errors.size > 0)
    throw new Error(`not every policy could be evaluated: ${[...errors].join('; ')}`);
  const questions = saying('ask');
  return questions.length > 0 ? { decision: 'ask', reason: joined(questions) } : undefined;
}

const joined = (sentences: readonly string[]): string =>
  [...new Set(sentences)].slice(0, mostReasons).join('\n');

function sentenceOf({ about }: PolicyRequest, { reason, policies }: PolicyAnswer): string {
  const why = reason?.trim() || 'A policy does not allow this.';
  return `${about === '' ? '' : `\`${about}\`: `}${why} [${policies.join(', ')}]`;
}
