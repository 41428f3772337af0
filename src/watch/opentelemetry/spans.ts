import type { Attributes, Context, Meter, Span, Tracer } from '@opentelemetry/api';
import type {
  JournaledHook,
  JournaledMachine,
  JournalEntry,
  TokenCounts,
} from '../journal/entry.ts';
import { decisionOf } from '../journal/decision-of.ts';
import type { Redactor } from '../../settings/redaction/redactor.ts';
import { hookMetrics, type HookMetrics } from './metrics.ts';
import type { Api } from './packages.ts';
import { parentIn } from './trace-parent.ts';

type Entry<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { readonly kind: Kind }>;

/** A run whose span has begun and not ended. */
interface Run {
  readonly id: string;
  readonly span: Span;
  readonly context: Context;
  readonly machine: JournaledMachine;
  readonly name: string;
  readonly startedAt: number;
  readonly above: Run | undefined;
  /** For an event: its hooks as planned, and the runs of those whose spans have not ended. */
  readonly planned: readonly JournaledHook[];
  readonly hooks: Set<Run>;
  /** For a hook: when it ended, and whether its answer was read; either may come first. */
  endedAt?: number;
  isRead?: true;
}

/** Where spans are sent, and what they belong to. */
export interface SpanTarget {
  readonly api: Api;
  readonly tracer: Tracer;
  readonly meter: Meter;
  readonly redactor: Pick<Redactor, 'text' | 'id'>;
  /** Whether spans are nested in those of the program. In that case they must be created at once. */
  readonly isNested: boolean;
  /** Whether guards are also reported under the names for guardrails, which may still change. */
  readonly guardrails?: boolean | undefined;
}

/** The longest text of a hook that is kept, and the longest name of a span, in characters. */
const longest = 300;
const longestSpanName = 100;

/** How many sessions may be open; a server has many whose end is never reported. */
const mostSessions = 1_000;

const now = (): number => performance.timeOrigin + performance.now();

/**
 * Turns the entries of a journal, in their order, into spans and metrics: session, turn, model call, tool
 * call, hook event, hook. Whatever is not nested in a span of the program belongs to the session's span.
 */
export class HookSpans {
  readonly #target: SpanTarget;
  readonly #metrics: HookMetrics;
  /** The context that the process itself belongs to. */
  readonly #above: Context;
  readonly #runs = new Map<string, Run>();
  readonly #sessions = new Map<string, { readonly span: Span; readonly context: Context }>();

  constructor(target: SpanTarget) {
    this.#target = target;
    this.#metrics = hookMetrics(target.meter);
    this.#above = parentIn(target.api, process.env);
  }

  /** Takes the next entry. */
  take(entry: JournalEntry): void {
    if (entry.kind === 'started') return this.#start(entry);
    if (entry.kind === 'moved' || entry.kind === 'warned') return;
    const run = this.#runs.get(entry.id);
    if (run === undefined) return;
    if (entry.kind === 'answered') this.#answer(run, entry);
    else if (entry.kind === 'verdict') this.#decide(run, entry);
    else this.#end(run, entry);
  }

  /** Ends all open spans. */
  end(): void {
    for (const { span } of this.#runs.values()) span.end(now());
    this.#runs.clear();
    for (const { span } of this.#sessions.values()) span.end(now());
    this.#sessions.clear();
  }

  #start(entry: Entry<'started'>): void {
    const { at, id, parent, session, machine, name, plan } = entry;
    const above = parent === undefined ? undefined : this.#runs.get(parent);
    const within = above?.context ?? this.#rootFor(session, at);
    const attributes = attributesOf(entry, above);
    const span = this.#begin(machine, name, { attributes, at, within });
    const run: Run = {
      id,
      span,
      context: this.#target.api.trace.setSpan(within, span),
      machine,
      name,
      startedAt: at,
      above,
      planned: plan?.hooks ?? [],
      hooks: new Set(),
    };
    this.#runs.set(id, run);
    if (machine === 'hookProcess') above?.hooks.add(run);
  }

  #answer(run: Run, { status, decision, exitCode, failure, durationMs }: Entry<'answered'>): void {
    const { span, name, above } = run;
    span.setAttribute('hookmachine.hook.status', status);
    if (decision !== undefined) span.setAttribute('hookmachine.decision', decision);
    if (exitCode !== null) span.setAttribute('process.exit.code', exitCode);
    const about = {
      'hookmachine.hook.name': name,
      ...(above && { 'hookmachine.event': above.name }),
    };
    if (status === 'failed' || status === 'timedOut') {
      this.#fail(span, failure ?? status);
      this.#metrics.failed({ ...about, 'error.type': failure ?? status });
    }
    this.#metrics.hookTook(durationMs, { ...about, 'hookmachine.hook.status': status });
    if (this.#target.guardrails && name.startsWith(guardPrefix) && status === 'ok')
      span.addEvent('gen_ai.guardrail.result', guardrailResult(name, decision, above?.name));
    run.isRead = true;
    if (run.endedAt !== undefined) this.#close(run, run.endedAt);
  }

  #decide({ span, name, above }: Run, verdict: Entry<'verdict'>): void {
    const { by, blocked, reason } = verdict;
    const decision = decisionOf(verdict);
    const said: Attributes = {
      'hookmachine.decision': decision,
      ...(by !== undefined && { 'hookmachine.decided_by': by }),
      ...(blocked && reason !== undefined && { 'hookmachine.reason': reason.slice(0, longest) }),
    };
    span.setAttributes(said);
    if (decision !== 'none') above?.span.setAttributes(said);
    if (decision === 'deny')
      this.#metrics.denied({
        'hookmachine.event': name,
        ...(by !== undefined && { 'hookmachine.hook.name': by }),
        ...(above?.machine === 'toolCall' && { 'gen_ai.tool.name': above.name }),
      });
  }

  #end(run: Run, { at, status, failed, usage }: Entry<'ended'>): void {
    const { span, machine, name, startedAt, above, hooks } = run;
    if (machine === 'hookProcess') {
      run.endedAt = at;
      if (run.isRead || above === undefined) this.#close(run, at);
      return;
    }
    span.setAttribute('hookmachine.status', status);
    if (failed) this.#fail(span, 'tool_error');
    else if (status === 'failed' || status === 'error') this.#fail(span, status);
    for (const hook of hooks) this.#close(hook, hook.endedAt ?? at);
    if (machine === 'toolCall') this.#metrics.toolTook(at - startedAt, aboutTool(name));
    if (machine === 'modelCall') this.#metrics.modelTook(at - startedAt, aboutModel(name));
    if (usage) this.#count(run, usage);
    this.#close(run, at);
  }

  #count({ span, name }: Run, { input, output, cached }: TokenCounts): void {
    span.setAttributes({
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      ...(cached !== undefined && { 'gen_ai.usage.cache_read.input_tokens': cached }),
    });
    for (const [type, count] of [
      ['input', input],
      ['output', output],
    ] as const)
      this.#metrics.used(count, { ...aboutModel(name), 'gen_ai.token.type': type });
  }

  #close(run: Run, at: number): void {
    run.above?.hooks.delete(run);
    this.#runs.delete(run.id);
    run.span.end(at);
  }

  #begin(
    machine: JournaledMachine,
    name: string,
    { attributes, at, within }: { attributes: Attributes; at: number; within: Context },
  ): Span {
    const { api, tracer } = this.#target;
    const kind = machine === 'modelCall' ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL;
    const whole = machine === 'agentTurn' ? verbs[machine] : `${verbs[machine]} ${name}`;
    return tracer.startSpan(
      whole.slice(0, longestSpanName),
      { kind, attributes, startTime: at },
      within,
    );
  }

  /** A message could quote a payload, so there is only a code. */
  #fail(span: Span, type: string): void {
    span.setAttribute('error.type', type);
    span.setStatus({ code: this.#target.api.SpanStatusCode.ERROR });
  }

  /** A run that nothing else started belongs to the program's active span, or otherwise to its session's. */
  #rootFor(session: string, at: number): Context {
    const { api, tracer, isNested } = this.#target;
    const active = api.context.active();
    if (isNested && api.trace.getSpan(active) !== undefined) return active;
    const known = this.#sessions.get(session);
    if (known !== undefined) return known.context;
    for (const [oldest, { span }] of this.#sessions) {
      if (this.#sessions.size < mostSessions) break;
      span.end(at);
      this.#sessions.delete(oldest);
    }
    const span = tracer.startSpan(
      'session',
      { startTime: at, attributes: { 'gen_ai.conversation.id': session } },
      this.#above,
    );
    const context = api.trace.setSpan(this.#above, span);
    this.#sessions.set(session, { span, context });
    return context;
  }
}

/** The names of the guards that come with hookmachine: only dedicated guards count as guardrails. */
const guardPrefix = 'guards/';

/** What a guard decided, in the conventions for guardrails (semantic-conventions-genai, in development). */
const guardrailResult = (
  name: string,
  decision: string | undefined,
  event: string | undefined,
): Attributes => ({
  'gen_ai.guardrail.component.name': 'hookmachine',
  'gen_ai.guardrail.policy.id': name,
  'gen_ai.guardrail.result.type': 'decision',
  'gen_ai.guardrail.result.value': decision ?? 'none',
  ...(event !== undefined && { 'gen_ai.guardrail.source': event }),
});

/** The first words of span names. */
const verbs: Readonly<Record<JournaledMachine, string>> = {
  agentTurn: 'invoke_agent',
  modelCall: 'chat',
  toolCall: 'execute_tool',
  hookEvent: 'hook',
  answerStream: 'hook',
  hookProcess: 'run_hook',
};

type Call = Extract<JournaledMachine, 'agentTurn' | 'modelCall' | 'toolCall'>;

const isCall = (machine: JournaledMachine): machine is Call =>
  machine === 'agentTurn' || machine === 'modelCall' || machine === 'toolCall';

function attributesOf(entry: Entry<'started'>, above: Run | undefined): Attributes {
  const { machine, name, session, callId, plan } = entry;
  if (isCall(machine))
    return {
      ...ofCall(machine, name, session),
      ...(callId !== undefined && { 'gen_ai.tool.call.id': callId }),
    };
  if (machine !== 'hookProcess')
    return { 'hookmachine.event': name, 'gen_ai.conversation.id': session };
  const hook = (above?.planned ?? plan?.hooks)?.find((one) => one.name === name);
  return {
    'hookmachine.hook.name': name,
    'hookmachine.event': above?.name ?? plan?.outlives ?? '',
    ...(hook && {
      'hookmachine.hook.source': hook.source,
      'hookmachine.hook.dialect': hook.dialect,
    }),
  };
}

/** The conventions for generative AI; the provider of the model is not known here. */
const ofCall = (machine: Call, name: string, session: string): Attributes => ({
  'gen_ai.operation.name': verbs[machine],
  'gen_ai.conversation.id': session,
  ...(machine === 'toolCall' && { 'gen_ai.tool.name': name }),
  ...(machine === 'modelCall' && name !== '' && { 'gen_ai.request.model': name }),
});

const aboutTool = (name: string): Attributes => ({
  'gen_ai.operation.name': verbs.toolCall,
  'gen_ai.tool.name': name,
});

const aboutModel = (name: string): Attributes => ({
  'gen_ai.operation.name': verbs.modelCall,
  ...(name !== '' && { 'gen_ai.request.model': name }),
});
