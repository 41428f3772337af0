import { modelFromTurns } from '../../../src/agent/models/scripted.ts';
import { ChatLoop } from '../../../src/agent/loop/chat-loop.ts';
import type { Tool } from '../../../src/agent/loop/tool.ts';
import { agentHooks, jcsSha256 } from '../../../src/adapters/agent-hooks/index.ts';
import type {
  AgentContext,
  Composition,
  IdentityProvider,
  InterceptionRecord,
  Interceptor,
  Verdict,
} from '../../../src/adapters/agent-hooks/index.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Rule {
  readonly at: string;
  readonly match?: Fields;
  readonly return?: Verdict;
  readonly fault?: 'raise' | 'malformed_verdict' | 'mutate';
}

/** A published vector. */
export interface Vector {
  readonly id: string;
  readonly title: string;
  readonly part?: string;
  readonly mode?: 'enforce' | 'evaluate_only';
  readonly capabilities?: readonly string[];
  readonly composition?: Composition;
  readonly identity_provider?: 'jcs-sha256' | 'ctk-fault' | null;
  readonly redact_for_approval?: readonly string[];
  readonly scenario: {
    readonly input: { readonly content: string };
    readonly tools?: readonly {
      readonly name: string;
      readonly behavior: readonly {
        readonly when_args?: object;
        readonly return: unknown;
        readonly is_error?: boolean;
      }[];
    }[];
    readonly model_script?: readonly {
      readonly respond: {
        readonly content: string | null;
        readonly tool_calls: readonly { id: string; name: string; args: object }[];
      };
    }[];
  };
  readonly interceptor_script?: readonly Rule[];
  readonly interceptor_scripts?: readonly (readonly Rule[])[];
  readonly approval_script?: readonly {
    readonly match?: Fields;
    readonly resolve: Fields;
  }[];
  readonly expect: Fields;
}

/** What came of running one. */
export interface Run {
  readonly contexts: readonly AgentContext[];
  readonly records: readonly InterceptionRecord[];
  readonly invocations: readonly { readonly name: string; readonly args: object }[];
  readonly outcome: string;
  readonly output: string | null;
}

/** Returns what is at a path such as `a.b[0].c`. */
export const at = (value: unknown, path: string): unknown =>
  path
    .split(/[.[\]]+/)
    .filter((key) => key !== '')
    .reduce<unknown>((inner, key) => (inner as Fields | undefined)?.[key], value);

const isEqual = (one: unknown, other: unknown): boolean => sorted(one) === sorted(other);

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  ) ?? 'absent';

const matches = (context: unknown, match: Fields = {}): boolean =>
  Object.entries(match).every(([path, value]) => isEqual(at(context, path), value));

/** An interceptor that follows a script. */
const scripted = (rules: readonly Rule[], note: (context: AgentContext) => void): Interceptor => ({
  intercept: (context) => {
    note(structuredClone(context));
    const rule = rules.find(
      (one) => one.at === context.interception_point && matches(context, one.match),
    );
    switch (rule?.fault) {
      case 'raise':
        throw new Error('scripted fault');
      case 'malformed_verdict':
        return { decision: 'transform' };
      case 'mutate':
        for (const value of Object.values(context))
          if (typeof value === 'object' && value !== null) Object.assign(value, { mutated: true });
        Object.assign(context, { target: 'mutated' });
        return { decision: 'allow', reason: 'ctk:mutated' };
      default:
        return rule?.return ?? { decision: 'allow' };
    }
  },
});

const failing: IdentityProvider = {
  name: 'ctk-fault',
  identify: () => {
    throw new Error('scripted fault');
  },
};

function redacting(paths: readonly string[]): (context: AgentContext) => AgentContext {
  return (context) => {
    for (const path of paths)
      for (const root of [context.target, at(context, 'tool_call.args')]) {
        const keys = path.replace('$target.', '').split('.');
        const last = keys.pop()!;
        const inner = at(root, keys.join('.')) as Record<string, unknown>;
        if (inner !== undefined) inner[last] = '[redacted]';
      }
    return context;
  };
}

/** Runs a vector through an agent of ours, with only its model and its tools scripted. */
export async function runVector(vector: Vector, cwd: string): Promise<Run> {
  const { scenario, approval_script: approvals = [], identity_provider: provider } = vector;
  const contexts: AgentContext[] = [];
  const records: InterceptionRecord[] = [];
  const invocations: { name: string; args: object }[] = [];
  const scripts = vector.interceptor_scripts ?? [vector.interceptor_script ?? []];
  const names = (scenario.tools ?? []).map(({ name }) => name);
  const hooks = agentHooks({
    agent: 'vector',
    session: 'vector',
    tools: names,
    interceptors: scripts.map((rules, index) =>
      scripted(rules, (context) => (index === 0 ? contexts.push(context) : undefined)),
    ),
    ...(vector.composition && { composition: vector.composition }),
    ...(vector.mode && { mode: vector.mode }),
    ...(provider !== undefined && {
      identity: provider === null ? null : provider === 'ctk-fault' ? failing : jcsSha256,
    }),
    ...(approvals.length > 0 && {
      resolver: ({ context, context_identity: identity }) => {
        const { resolve } = approvals.find(({ match }) => matches(context, match)) ?? {
          resolve: { outcome: 'unresolved' },
        };
        if (resolve['fault'] === 'raise') throw new Error('scripted fault');
        const echoed = resolve['echo_recomputed']
          ? jcsSha256.identify(context)
          : (resolve['identity_override'] ?? identity);
        return {
          outcome: resolve['outcome'],
          context_identity: echoed,
          ...('verdict' in resolve && { verdict: resolve['verdict'] }),
        } as never;
      },
    }),
    ...(vector.redact_for_approval && { redact: redacting(vector.redact_for_approval) }),
    onRecord: (record) => records.push(record),
  });
  const tools = new Map(
    (scenario.tools ?? []).map(({ name, behavior }): [string, Tool] => [
      name,
      {
        name,
        description: name,
        parameters: { type: 'object' },
        execute: (args) => {
          invocations.push({ name, args: structuredClone(args) });
          const found = behavior.find((one) => !one.when_args || isEqual(one.when_args, args))!;
          const text =
            typeof found.return === 'string' ? found.return : JSON.stringify(found.return);
          return Promise.resolve({
            llmContent: text,
            returnDisplay: text,
            ...(found.is_error && { error: { message: text } }),
          });
        },
      },
    ]),
  );
  const model = modelFromTurns(
    (scenario.model_script ?? []).map(({ respond: { content, tool_calls: calls } }) => ({
      ...(content !== null && { text: content }),
      ...(calls.length > 0 && {
        calls: calls.map(({ id, name, args }) => ({ id, name, args: { ...args } })),
      }),
    })),
  );
  const config = createConfig({
    cwd,
    dialects: [hooks.dialect],
    checkTrust: () => ({ trusted: true }),
  });
  const chat = new ChatLoop({ config, model: hooks.model(model), tools, toolLimit: 1 });
  const { outcome, output } = await hooks.run(chat, scenario.input.content);
  await hooks.end(outcome === 'completed' ? 'completed' : 'error');
  return { contexts, records, invocations, outcome, output };
}

type Expected = readonly (Fields & { readonly interception_point: string })[];

/** Returns what a run did other than its vector expects, as the published engine finds it. */
export function faultsOf({ expect }: Vector, run: Run): string[] {
  const faults: string[] = [];
  const check = (isRight: boolean, fault: string): void => {
    if (!isRight) faults.push(fault);
  };
  const points = run.contexts.map((one) => one.interception_point as string);
  const expected = (expect['interceptions'] ?? []) as Expected;
  const isStrict = expect['sequence_strict'] ?? true;
  const wanted = expected.map((one) => one.interception_point);
  if (isStrict)
    check(isEqual(points, wanted), `points: ${points.join()} instead of ${wanted.join()}`);
  let index = 0;
  for (const one of expected) {
    while (index < points.length && points[index] !== one.interception_point) index++;
    const context = run.contexts[index++];
    if (context === undefined) {
      faults.push(`there is no ${one.interception_point}`);
      break;
    }
    for (const [path, value] of Object.entries((one['context'] ?? {}) as Fields))
      check(isEqual(at(context, path), value), `${one.interception_point}: ${path} is ${sorted(at(context, path))}`); // prettier-ignore
    const text = JSON.stringify(context);
    for (const part of (one['context_must_contain'] ?? []) as string[])
      check(text.includes(part), `${one.interception_point} lacks ${part}`);
    for (const part of (one['context_must_not_contain'] ?? []) as string[])
      check(!text.includes(part), `${one.interception_point} holds ${part}`);
  }
  for (const point of (expect['interceptions_absent'] ?? []) as string[])
    check(!points.includes(point), `${point} was emitted`);
  check(run.outcome === expect['run_outcome'], `the outcome is ${run.outcome}`);
  if ('final_output' in expect)
    check(isEqual(run.output, expect['final_output']), `the output is ${run.output}`);
  if ('tool_invocations' in expect) check(isEqual(run.invocations, expect['tool_invocations']), `invoked: ${sorted(run.invocations)}`); // prettier-ignore
  for (const name of (expect['tool_not_invoked'] ?? []) as string[])
    check(!run.invocations.some((one) => one.name === name), `${name} was invoked`);
  faults.push(...recordFaults((expect['records'] ?? []) as Expected, run.records));
  const sequence = run.contexts.map((one) => one.sequence);
  check(
    sequence.every((one, place) => place === 0 || one > sequence[place - 1]!),
    `sequence: ${sequence.join()}`,
  );
  if ('identities_equal' in expect) {
    const isSame = run.records.every((one) => one.input_identity === one.enforced_identity);
    check(
      isSame === expect['identities_equal'],
      `identities are ${isSame ? 'equal' : 'different'}`,
    );
  }
  return faults;
}

function recordFaults(expected: Expected, records: readonly InterceptionRecord[]): string[] {
  const faults: string[] = [];
  let index = 0;
  for (const one of expected) {
    while (index < records.length && records[index]!.interception_point !== one.interception_point)
      index++;
    const record = records[index++];
    if (record === undefined) return [...faults, `there is no record of ${one.interception_point}`];
    for (const [path, value] of Object.entries((one['assert'] ?? {}) as Fields))
      if (!isEqual(at(record, path), value)) faults.push(`record of ${one.interception_point}: ${path} is ${sorted(at(record, path))} instead of ${sorted(value)}`); // prettier-ignore
    for (const path of (one['absent'] ?? []) as string[])
      if (at(record, path) !== undefined) faults.push(`record of ${one.interception_point} has ${path}`); // prettier-ignore
    for (const path of (one['present'] ?? []) as string[])
      if (at(record, path) === undefined) faults.push(`record of ${one.interception_point} lacks ${path}`); // prettier-ignore
  }
  return faults;
}
