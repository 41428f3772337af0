import { isRecord } from '../../base/json.ts';
import {
  type AgentContext,
  type ApprovalResolution,
  type Composition,
  hostError,
  type Interceptor,
  type Verdict,
} from './contract.ts';
import { transformed } from './transform.ts';
import { isLiftable, isVerdict, severityOf, withMetadata } from './verdicts.ts';

/** What came out of an emission (§7). */
export interface Composed {
  readonly verdict: Verdict;
  /** The context as interceptors left it. */
  readonly context: AgentContext;
  readonly verdicts: readonly Verdict[];
  readonly decidedBy: number | null;
  readonly isTruncated: boolean;
  readonly resolvedBy?: 'approval' | 'rejection';
}

/** What an emission needs from its host. */
export interface Emission {
  readonly interceptors: readonly Interceptor[];
  /** In ms. */
  readonly timeout: number;
  readonly isEnforced: boolean;
  /** Asks whoever may lift a denial; undefined if nobody may. */
  readonly consult: ((verdict: Verdict, context: AgentContext) => Promise<Resolved>) | undefined;
}

/** What became of a question (§9). */
export interface Resolved {
  readonly isLifted: boolean;
  readonly verdict: Verdict;
}

/** Asks one interceptor, with a copy of the context; whatever goes wrong denies (§6.3). */
async function ask(
  { intercept }: Interceptor,
  context: AgentContext,
  timeout: number,
): Promise<Verdict> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timeout);
  });
  try {
    const copy = structuredClone(context);
    const given: unknown = await Promise.race([(async () => intercept(copy))(), late]);
    if (given === 'late') return hostError('interceptor_timeout');
    const verdict: unknown = given === undefined ? undefined : JSON.parse(JSON.stringify(given));
    return isVerdict(verdict) ? verdict : hostError('verdict_invalid');
  } catch (error) {
    // The text of an error may quote what it was about.
    return hostError('interceptor_failed', isRecord(error) ? error.constructor.name : typeof error);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets interceptors judge, and combines what they say. */
export function compose(
  context: AgentContext,
  composition: Composition,
  emission: Emission,
): Promise<Composed> {
  switch (composition.profile) {
    case 'sequential/first_deny':
      return firstDeny(context, composition.on_approval === 'resume', emission);
    case 'sequential/run_all':
      return runAll(context, emission);
    case 'parallel/strictest':
    case 'parallel/unanimous':
      return inParallel(context, composition, emission);
  }
}

/** The verdict if nobody decided anything. */
const allow: Verdict = { decision: 'allow' };

/** Applies a transform where it counts; a transform that does not fit is a denial. */
function fold(
  context: AgentContext,
  { transform }: Verdict,
  { isEnforced }: Emission,
): ReturnType<typeof transformed> {
  const done = transformed(context, transform!);
  return 'fault' in done || isEnforced ? done : { context };
}

async function firstDeny(
  start: AgentContext,
  resumes: boolean,
  emission: Emission,
): Promise<Composed> {
  const { interceptors, timeout, isEnforced, consult } = emission;
  const verdicts: Verdict[] = [];
  let context = start;
  let last = allow;
  let decidedBy: number | null = null;
  let resolvedBy: Composed['resolvedBy'];
  const end = (verdict: Verdict, by: number | null): Composed => ({
    verdict: withMetadata(verdict, [...verdicts, verdict]),
    context,
    verdicts,
    decidedBy: by,
    isTruncated: verdicts.length < interceptors.length,
    ...(resolvedBy && { resolvedBy }),
  });
  for (const [index, interceptor] of interceptors.entries()) {
    let verdict = await ask(interceptor, context, timeout);
    verdicts.push(verdict);
    let isStopping = false;
    if (isLiftable(verdict) && isEnforced && consult) {
      const resolved = await consult(verdict, context);
      resolvedBy = resolved.isLifted ? 'approval' : 'rejection';
      verdict = resolved.verdict;
      decidedBy = index;
      isStopping = resolved.isLifted && !resumes;
    }
    if (verdict.decision === 'deny') return end(verdict, index);
    if (verdict.decision === 'transform') {
      const done = fold(context, verdict, emission);
      if ('fault' in done) return end(done.fault, null);
      context = done.context;
      last = verdict;
      decidedBy = index;
    }
    if (isStopping) return end(verdict, index);
  }
  return end(last, decidedBy);
}

async function runAll(start: AgentContext, emission: Emission): Promise<Composed> {
  const { interceptors, timeout, isEnforced, consult } = emission;
  const verdicts: Verdict[] = [];
  let context = start;
  for (const interceptor of interceptors) {
    const verdict = await ask(interceptor, context, timeout);
    verdicts.push(verdict);
    if (verdict.decision !== 'transform') continue;
    const done = fold(context, verdict, emission);
    if ('fault' in done)
      return {
        verdict: withMetadata(done.fault, verdicts),
        context,
        verdicts,
        decidedBy: null,
        isTruncated: verdicts.length < interceptors.length,
      };
    context = done.context;
  }
  const { winner, decidedBy } = strictest(verdicts, 'last');
  const composed = { context, verdicts, decidedBy, isTruncated: false };
  const isForOne = verdicts.every((one) => one.decision !== 'deny' || isLiftable(one));
  if (!isLiftable(winner) || !isForOne || !isEnforced || !consult)
    return { ...composed, verdict: withMetadata(winner, verdicts) };
  return lifted(await consult(winner, context), composed, emission);
}

/** Puts what became of a question in the place of the denial that led to it (§7.6). */
function lifted(
  { isLifted, verdict }: Resolved,
  composed: Omit<Composed, 'verdict'>,
  emission: Emission,
): Composed {
  const all = [...composed.verdicts, verdict];
  const resolvedBy = isLifted ? ('approval' as const) : ('rejection' as const);
  if (verdict.decision !== 'transform')
    return { ...composed, resolvedBy, verdict: withMetadata(verdict, all) };
  const done = fold(composed.context, verdict, emission);
  return 'fault' in done
    ? { ...composed, resolvedBy, decidedBy: null, verdict: withMetadata(done.fault, all) }
    : { ...composed, resolvedBy, context: done.context, verdict: withMetadata(verdict, all) };
}

/** The strictest verdict (§7.3): of denials the first, of transforms that built on each other the last. */
function strictest(
  verdicts: readonly Verdict[],
  transforms: 'first' | 'last',
): { readonly winner: Verdict; readonly decidedBy: number | null } {
  const most = Math.max(0, ...verdicts.map(severityOf));
  if (most === 0) return { winner: verdicts.at(-1) ?? allow, decidedBy: null };
  const isMost = (verdict: Verdict): boolean => severityOf(verdict) === most;
  const at = most === 1 && transforms === 'last' ? verdicts.findLastIndex(isMost) : verdicts.findIndex(isMost); // prettier-ignore
  return { winner: verdicts[at]!, decidedBy: at };
}

async function inParallel(
  context: AgentContext,
  { profile, on_disagreement, on_transform_conflict }: Composition,
  emission: Emission,
): Promise<Composed> {
  const { interceptors, timeout, isEnforced, consult } = emission;
  const verdicts = await Promise.all(interceptors.map((one) => ask(one, context, timeout)));
  const composed = { context, verdicts, decidedBy: null, isTruncated: false };
  const resolve = async (denial: Verdict, by: number | null): Promise<Composed> =>
    isEnforced && consult
      ? lifted(await consult(denial, context), { ...composed, decidedBy: by }, emission)
      : { ...composed, decidedBy: by, verdict: withMetadata(denial, verdicts) };
  /** A denial of the host itself, which somebody may lift if the host is set up so. */
  const synthesized = (
    reason: 'transform_conflict' | 'composition_disagreement',
    knob: 'deny' | 'approval' | undefined,
  ): Promise<Composed> | Composed =>
    knob === 'approval'
      ? resolve({ ...hostError(reason), approval: {} }, null)
      : { ...composed, verdict: withMetadata(hostError(reason), verdicts) };
  if (profile === 'parallel/unanimous')
    return verdicts.every(({ decision }) => decision === 'allow')
      ? { ...composed, verdict: withMetadata(allow, verdicts) }
      : synthesized('composition_disagreement', on_disagreement);
  const { winner, decidedBy } = strictest(verdicts, 'first');
  if (isLiftable(winner)) return resolve(winner, decidedBy);
  if (winner.decision !== 'transform')
    return { ...composed, decidedBy, verdict: withMetadata(winner, verdicts) };
  if (verdicts.filter(({ decision }) => decision === 'transform').length > 1)
    return synthesized('transform_conflict', on_transform_conflict);
  const done = fold(context, winner, emission);
  return 'fault' in done
    ? { ...composed, verdict: withMetadata(done.fault, verdicts) }
    : { ...composed, decidedBy, context: done.context, verdict: withMetadata(winner, verdicts) };
}

const refused = (reason: Parameters<typeof hostError>[0]): Resolved => ({
  isLifted: false,
  verdict: hostError(reason),
});

/** Checks what a resolver returned, in the order of §9. */
export function readResolution(given: unknown, identity: string | null): Resolved {
  if (!isRecord(given)) return refused('approval_resolver_failed');
  const { outcome, verdict, context_identity: echo } = given as Partial<ApprovalResolution>;
  if ((echo ?? null) !== identity) return refused('approval_identity_mismatch');
  if (outcome === 'unresolved')
    return refused(verdict === undefined ? 'approval_unresolved' : 'approval_resolver_failed');
  if ((outcome !== 'approve' && outcome !== 'reject') || verdict === undefined)
    return refused('approval_resolver_failed');
  if (!isVerdict(verdict) || (outcome === 'approve') === (verdict.decision === 'deny'))
    return refused('verdict_invalid');
  return { isLifted: outcome === 'approve', verdict };
}
