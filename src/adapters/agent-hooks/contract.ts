/*
 * The contract of AGENT-HOOKS-0.1 (responsibleai/agent-hooks), as far as a host and an interceptor share it. The
 * paragraphs of that specification are cited as §.
 */

/** The places in an agent's life (§3), and the value that a transform may rewrite (§4.3). */
export const points = {
  agent_startup: 'agent_init',
  input: 'input',
  pre_model_call: 'messages',
  post_model_call: 'response',
  pre_tool_call: 'tool_call.args',
  post_tool_call: 'tool_result.value',
  output: 'output',
  agent_shutdown: 'summary',
} as const;

export type InterceptionPoint = keyof typeof points;

export const isPoint = (value: unknown): value is InterceptionPoint =>
  typeof value === 'string' && Object.hasOwn(points, value);

/** What an interceptor is told (§4). */
export interface AgentContext {
  readonly spec: string;
  readonly interception_point: InterceptionPoint;
  /** RFC 3339. */
  readonly timestamp: string;
  readonly sequence: number;
  readonly agent: { readonly id: string; readonly framework: string };
  readonly session: { readonly id: string };
  readonly target: unknown;
  readonly [field: string]: unknown;
}

/** What an interceptor answers (§5). */
export interface Verdict {
  readonly decision: 'allow' | 'deny' | 'transform';
  readonly reason?: string;
  readonly message?: string;
  readonly warnings?: readonly { readonly reason?: string; readonly message?: string }[];
  /** Marks a denial that somebody may lift. */
  readonly approval?: Readonly<Record<string, unknown>>;
  readonly transform?: { readonly path: string; readonly value?: unknown };
  readonly evidence?: Readonly<Record<string, unknown>>;
  readonly result_labels?: readonly string[];
}

/** A component that controls the agent by its verdicts (§7). It receives a copy of its own. */
export interface Interceptor {
  /** For records; it must hold no payload. */
  readonly name?: string;
  readonly intercept: (context: AgentContext) => Verdict | Promise<Verdict>;
}

/** How the verdicts of several interceptors compose (§7.2). */
export interface Composition {
  readonly profile:
    | 'sequential/first_deny'
    | 'sequential/run_all'
    | 'parallel/strictest'
    | 'parallel/unanimous';
  readonly on_approval?: 'stop' | 'resume';
  readonly on_disagreement?: 'deny' | 'approval';
  readonly on_transform_conflict?: 'deny' | 'approval';
}

/** What is asked of whoever may lift a denial (§9). */
export interface ApprovalRequest {
  readonly context_identity: string | null;
  readonly interception_point: InterceptionPoint;
  readonly verdict: Verdict;
  readonly context: AgentContext;
}

export interface ApprovalResolution {
  readonly outcome: 'approve' | 'reject' | 'unresolved';
  readonly context_identity: string | null;
  readonly verdict?: Verdict;
}

export type ApprovalResolver = (
  request: ApprovalRequest,
) => ApprovalResolution | Promise<ApprovalResolution>;

/** A function that names a context by its content (§10.1). */
export interface IdentityProvider {
  readonly name: string;
  readonly identify: (context: AgentContext) => string;
}

/** What is kept of one emission, without payloads (§10.3). */
export interface InterceptionRecord {
  readonly interception_point: string;
  readonly mode: 'enforce' | 'evaluate_only';
  readonly verdict: Verdict;
  readonly input_identity: string | null;
  readonly enforced_identity: string | null;
  readonly identity_provider: string | null;
  readonly session_id: string;
  readonly sequence: number;
  readonly timestamp?: string;
  readonly trace?: Readonly<Record<string, unknown>>;
  readonly decided_by: number | null;
  readonly composition: Composition;
  readonly verdicts: readonly {
    readonly index: number;
    readonly decision: Verdict['decision'];
    readonly reason?: string;
    readonly name?: string;
  }[];
  readonly fold_truncated: boolean;
  readonly resolved_by?: 'approval' | 'rejection';
  readonly interceptors_registered: number;
}

/** A denial that the host makes itself (§11). */
export const hostError = (
  reason:
    | 'context_invalid'
    | 'interceptor_failed'
    | 'interceptor_timeout'
    | 'verdict_invalid'
    | 'transform_invalid'
    | 'transform_target_forbidden'
    | 'transform_conflict'
    | 'composition_disagreement'
    | 'approval_resolver_failed'
    | 'approval_unresolved'
    | 'approval_identity_mismatch'
    | 'no_interceptor',
  message?: string,
): Verdict => ({
  decision: 'deny',
  reason: `host_error:${reason}`,
  ...(message !== undefined && { message }),
});
