import { isRecord } from '../../base/json.ts';
import { compose, type Composed, readResolution, type Resolved } from './compose.ts';
import {
  type AgentContext,
  type ApprovalResolver,
  type Composition,
  hostError,
  type IdentityProvider,
  type InterceptionRecord,
  type Interceptor,
  type Verdict,
} from './contract.ts';
import { invalidField } from './envelope.ts';
import { isProviderName, jcsSha256 } from './identity.ts';
import { projectedVerdict } from './verdicts.ts';

/** How a host mediates. */
export interface EmitterOptions {
  readonly interceptors: readonly Interceptor[];
  /** Default: `sequential/first_deny`. */
  readonly composition?: Composition;
  /** `evaluate_only`: verdicts are recorded, and every action proceeds. Default: `enforce`. */
  readonly mode?: 'enforce' | 'evaluate_only';
  /** Who may lift a denial that says so; default: nobody. */
  readonly resolver?: ApprovalResolver | undefined;
  /** Takes out of a context what whoever is asked must not see. */
  readonly redact?: ((context: AgentContext) => AgentContext) | undefined;
  /** What names contexts by their content; null: nothing does. Default: `jcs-sha256`. */
  readonly identity?: IdentityProvider | null;
  /** How long an interceptor may take, in ms; default 5,000. */
  readonly timeout?: number;
  /** Receives the record of each emission. */
  readonly onRecord?: (record: InterceptionRecord) => void;
}

/** What a host must do after an emission. */
export interface Emitted {
  /** Whether the action may proceed. */
  readonly isPermitted: boolean;
  readonly verdict: Verdict;
  /** The context with the target as it is to be used. */
  readonly context: AgentContext;
}

const defaultTimeout = 5_000;

/** Runs interceptors at the points of an agent's life (§3 to §10). It never throws: what goes wrong denies. */
export class Emitter {
  readonly #options: EmitterOptions;
  readonly #identity: IdentityProvider | null;
  readonly #composition: Composition;

  /** @throws an error for an identity provider whose name is reserved */
  constructor(options: EmitterOptions) {
    this.#options = options;
    this.#identity = options.identity === undefined ? jcsSha256 : options.identity;
    if (this.#identity !== null && (!isProviderName(this.#identity.name) || (this.#identity.name === jcsSha256.name && this.#identity !== jcsSha256))) // prettier-ignore
      throw new Error(`"${this.#identity.name}" is no name for an identity provider; use letters, digits, - and _, and do not begin with jcs`); // prettier-ignore
    this.#composition = resolvedKnobs(options.composition ?? { profile: 'sequential/first_deny' });
  }

  async emit(context: AgentContext): Promise<Emitted> {
    const { interceptors, mode = 'enforce' } = this.#options;
    const isEnforced = mode === 'enforce';
    const denied = (verdict: Verdict, identity: string | null = null): Emitted => {
      const composed = { verdict, context, verdicts: [], decidedBy: null, isTruncated: false };
      this.#record(context, composed, identity, identity);
      return { isPermitted: !isEnforced, verdict, context };
    };
    const invalid = isRecord(context) ? invalidField(context) : 'the context';
    if (invalid !== undefined) return denied(hostError('context_invalid', invalid));
    let identity: string | null;
    try {
      identity = this.#identify(context);
    } catch {
      return denied(hostError('context_invalid', 'it has no identity'));
    }
    if (interceptors.length === 0) return denied(hostError('no_interceptor'), identity);
    const isEnd = context.interception_point === 'agent_shutdown';
    const composed = await compose(context, this.#composition, {
      interceptors,
      timeout: this.#options.timeout ?? defaultTimeout,
      isEnforced,
      consult: isEnd || !this.#options.resolver ? undefined : (verdict, at) => this.#consult(verdict, at), // prettier-ignore
    });
    let enforced: string | null = null;
    let { verdict } = composed;
    try {
      enforced = this.#identify(composed.context);
    } catch {
      // A transform may put something there that has no identity.
      verdict = hostError('context_invalid', 'what it was changed to has no identity');
    }
    this.#record(context, { ...composed, verdict }, identity, enforced);
    const isPermitted = !isEnforced || verdict.decision !== 'deny';
    return { isPermitted, verdict, context: isPermitted ? composed.context : context };
  }

  #identify(context: AgentContext): string | null {
    if (this.#identity === null) return null;
    const name: unknown = this.#identity.identify(context);
    if (typeof name !== 'string') throw new TypeError('an identity is a text');
    return name;
  }

  /** Asks whoever may lift a denial; what they see has an identity of its own (§9). */
  async #consult(verdict: Verdict, context: AgentContext): Promise<Resolved> {
    const { resolver, redact } = this.#options;
    try {
      const copy = structuredClone(context);
      const shown = redact === undefined ? copy : redact(copy);
      const identity = this.#identify(shown);
      const request = {
        context_identity: identity,
        interception_point: context.interception_point,
        verdict,
        context: shown,
      };
      return readResolution(await resolver!(request), identity);
    } catch {
      return { isLifted: false, verdict: hostError('approval_resolver_failed') };
    }
  }

  #record(
    context: AgentContext,
    composed: Composed,
    input: string | null,
    enforced: string | null,
  ): void {
    const { interceptors, mode = 'enforce', onRecord } = this.#options;
    const { timestamp, trace } = isRecord(context) ? context : ({} as AgentContext);
    onRecord?.({
      interception_point: context?.interception_point ?? '',
      mode,
      verdict: projectedVerdict(composed.verdict),
      input_identity: input,
      enforced_identity: enforced,
      identity_provider: this.#identity?.name ?? null,
      session_id: context?.session?.id ?? '',
      sequence: context?.sequence ?? -1,
      ...(timestamp !== undefined && { timestamp }),
      ...(isRecord(trace) && { trace }),
      decided_by: composed.decidedBy,
      composition: this.#composition,
      verdicts: composed.verdicts.map(({ decision, reason }, index) => {
        const { name } = interceptors[index]!;
        return { index, decision, ...(reason !== undefined && { reason }), ...(name !== undefined && { name }) }; // prettier-ignore
      }),
      fold_truncated: composed.isTruncated,
      ...(composed.resolvedBy && { resolved_by: composed.resolvedBy }),
      interceptors_registered: interceptors.length,
    });
  }
}

/** Fills in the knobs that a profile consults, and drops the others (§7.2, §10.3). */
function resolvedKnobs({ profile, ...knobs }: Composition): Composition {
  switch (profile) {
    case 'sequential/first_deny':
      return { profile, on_approval: knobs.on_approval ?? 'stop' };
    case 'sequential/run_all':
      return { profile };
    case 'parallel/strictest':
      return { profile, on_transform_conflict: knobs.on_transform_conflict ?? 'deny' };
    case 'parallel/unanimous':
      return { profile, on_disagreement: knobs.on_disagreement ?? 'deny' };
  }
}
