import {
  type AnswerStreamInput,
  answerStreamMachine,
  type AnswerStreamOutcome,
  type PieceReply,
  type TextPiece,
} from '../../../machines/answer-stream.ts';
import type {
  HookAnswer,
  HookEventInput,
  HookVerdict,
  PlannedHook,
} from '../../../machines/hook-event.ts';
import type {
  HookCommand,
  HookProcessInput,
  ProcessReport,
  HookProcessOutcome,
} from '../../../machines/hook-process.ts';
import type { EventContext } from '../answers/event-context.ts';
import type { HookPlan } from '../plan/hook-plan.ts';
import type { RunnableCommand } from '../host/handlers.ts';
import { hookProcess } from '../run/run-machine.ts';
import { warnPlainly, type WarningSink } from '../../base/log.ts';
import type { DefaultHookOutput } from '../protocol/output.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';
import type { GenAIPart, GenAIResponse } from '../translate/genai-types.ts';
import { joined, textOf, textsOf } from '../translate/turns.ts';
import type {
  AggregatedHookResult,
  HookExecutionResult,
  EventVerdict,
} from '../answers/results.ts';
import type { plannedHooks } from './event-hooks.ts';
import { isRecord } from '../../base/json.ts';

/** The machine for an answer's text, with its actors provided once for all runs. */
export const answerStream = answerStreamMachine.provide({ actors: { hookProcess } });

type AfterModelHooks = NonNullable<ReturnType<typeof plannedHooks<'AfterModel'>>>;

/** The hooks of a plan that receive text as it streams, and the names of those that need the whole answer. */
export function streamingHooks({ plan }: AfterModelHooks): {
  readonly streaming: readonly RegisteredHook[];
  readonly others: readonly string[];
} {
  if (plan === undefined) return { streaming: [], others: ['hooks that could not be planned'] };
  const hooks = plan.hooks.filter((hook) => !hook.async);
  return {
    streaming: hooks.filter(({ stream }) => stream),
    others: hooks.flatMap(({ stream, name }) => (stream ? [] : [name])),
  };
}

interface StreamOptions {
  readonly context: EventContext;
  readonly shown: (text: string) => void;
  /** Called if the hooks ended the answer, or one of them failed. */
  readonly decided: (result: AggregatedHookResult) => void;
}

let streams = 0;

/**
 * The text of one answer as input of the `answerStream` machine. Its hook receives each piece as an event of
 * its own, with `stream` instead of request and response; the hook's kind, trust and failures are handled as
 * for any event.
 */
export function answerStreamInput(
  { plan, prepareSome }: AfterModelHooks,
  hooks: readonly RegisteredHook[],
  options: StreamOptions,
): AnswerStreamInput {
  const { context } = options;
  const inputFor = (some: readonly RegisteredHook[], fields: object): HookEventInput =>
    prepareSome!(planOf(plan!, some), () => fields, { context });
  const whole = inputFor(hooks, {});
  const run = new StreamRun(inputFor, whole, options);
  return { event: 'AfterModel', hooks: whole.hooks, rules: run, reports: run };
}

/** The hooks on the text of one answer: what each is given, and what its answers mean. */
class StreamRun implements Rules, Reports {
  readonly shown: (text: string) => void;
  readonly #inputFor: (some: readonly RegisteredHook[], fields: object) => HookEventInput;
  readonly #whole: HookEventInput;
  readonly #decided: StreamOptions['decided'];
  readonly #id = `${++streams}`;
  /** The command that may run, as determined before the hook's first piece. */
  readonly #admitted = new Map<PlannedHook, HookCommand>();
  /** The last piece that each hook received, as an event. */
  readonly #events = new Map<PlannedHook, HookEventInput>();
  readonly #noted = new Set<string>();

  constructor(
    inputFor: (some: readonly RegisteredHook[], fields: object) => HookEventInput,
    whole: HookEventInput,
    { shown, decided }: StreamOptions,
  ) {
    this.#inputFor = inputFor;
    this.#whole = whole;
    this.shown = shown;
    this.#decided = decided;
  }

  prepare(planned: PlannedHook, piece: TextPiece): HookProcessInput {
    const hook = planned as RegisteredHook;
    const { holdBack } = hook.stream!;
    const event = this.#inputFor([hook], { stream: { id: this.#id, ...piece, holdBack } });
    this.#events.set(hook, event);
    const [own] = event.hooks;
    if (own === undefined) return endedHook(hook);
    const { command, ...process } = event.rules.prepare(own, event.payload);
    const { admit, ...plain } = command;
    const known = this.#admitted.get(hook);
    if (known) return { ...process, command: { ...known, stdin: command.stdin } };
    const keep = (may: HookCommand): HookCommand => {
      this.#admitted.set(hook, may);
      return may;
    };
    const admitOnce = (): HookCommand | Promise<HookCommand> => {
      const may = admit?.() ?? plain;
      return 'then' in may ? may.then(keep) : keep(may);
    };
    return { ...process, command: { ...plain, admit: admitOnce } };
  }

  read(planned: PlannedHook, outcome: HookProcessOutcome, piece: TextPiece): PieceReply {
    const hook = planned as RegisteredHook;
    if (outcome.status !== 'exited') return withoutReply(this.#answered(hook, outcome), piece);
    const { exit } = outcome;
    const said = replyIn(exit.stdout, piece, hook);
    if ('error' in said) {
      const failed = { status: 'failed', error: said.error, exit } as const;
      return withoutReply(this.#answered(hook, failed), piece);
    }
    const answer = this.#answered(hook, { ...outcome, exit: { ...exit, stdout: said.rest } });
    if (answer.status !== 'ok') return withoutReply(answer, piece);
    const isOver = piece.done || ends(answer);
    const text = said.text ?? (ends(answer) ? '' : piece.text);
    const notes = [
      ...answer.notes,
      ...said.notes,
      ...(answer.effects.length > 0
        ? [
            'apart from "text" and "held", only a denial or a stop counts in the answer to a piece of text',
          ]
        : []),
    ];
    return {
      text: isOver && !ends(answer) ? text + said.held : text,
      held: isOver ? '' : said.held,
      answer: { ...answer, notes, effects: [] } as HookExecutionResult,
    };
  }

  merge(answers: readonly HookAnswer[]): HookVerdict {
    return this.#whole.rules.merge(answers, this.#whole.payload);
  }

  answered(given: HookAnswer): void {
    const answer = given as HookExecutionResult;
    const { hook, status, notes } = answer;
    const fresh = notes.filter((note) => !this.#noted.has(`${hook.name} ${note}`));
    for (const note of fresh) this.#noted.add(`${hook.name} ${note}`);
    if (status !== 'untrusted' && (status !== 'ok' || ends(answer) || fresh.length > 0))
      this.#events.get(hook)?.reports.answered({ ...answer, notes: fresh } as HookExecutionResult);
  }

  decided(verdict: HookVerdict): void {
    const { result } = verdict as EventVerdict;
    if (result.results.some((answer) => answer.status !== 'ok' || ends(answer)))
      this.#decided(result);
  }

  #answered(hook: RegisteredHook, outcome: HookProcessOutcome): HookExecutionResult {
    const { rules, payload, hooks } = this.#events.get(hook)!;
    const [own] = hooks;
    return own === undefined
      ? { ...silent, hook, event: 'AfterModel', status: 'cancelled' }
      : (rules.read(own, outcome, payload) as HookExecutionResult);
  }
}

/** The piece goes on as it is, unless the hook ended the answer. */
const withoutReply = (answer: HookExecutionResult, piece: TextPiece): PieceReply => ({
  text: ends(answer) ? '' : piece.text,
  held: '',
  answer,
});

type Rules = AnswerStreamInput['rules'];
type Reports = AnswerStreamInput['reports'];

const silent = {
  decision: undefined,
  stop: false,
  effects: [],
  success: false,
  exitCode: null,
  stdout: '',
  stderr: '',
  durationMs: 0,
  timedOut: false,
  notes: [],
  plainText: false,
} as const;

/** Whether an answer ends the text. */
const ends = ({ decision, stop }: HookExecutionResult): boolean => decision === 'deny' || stop;

/** A hook whose hook system ended in the middle of an answer: it fails at once. */
function endedHook({ name, timeout, command, env }: RegisteredHook): HookProcessInput {
  const report: ProcessReport = {
    type: 'process.failed',
    error: new Error('the hook system has ended'),
  };
  const ended: RunnableCommand = {
    command,
    env,
    cwd: '',
    stdin: () => '',
    run: ({ sendBack }) => sendBack(report),
  };
  return { name, timeout, command: ended };
}

/** The plan, reduced to some of its hooks. */
const planOf = (plan: HookPlan, hooks: readonly RegisteredHook[]): HookPlan => ({
  ...plan,
  hooks,
  lanes: plan.lanes.flatMap(({ dialect }) => {
    const positions = [...hooks.keys()].filter((place) => hooks[place]!.dialect === dialect);
    return positions.length > 0 ? [{ dialect, mode: 'parallel' as const, positions }] : [];
  }),
});

const fault = (message: string): { readonly error: Error } => ({ error: new Error(message) });

interface Reply {
  /** Absent if the hook gave none. */
  readonly text?: string;
  readonly held: string;
  /** The other keys of its answer, as JSON. */
  readonly rest: string;
  readonly notes: readonly string[];
}

/** Reads a hook's answer to a piece. */
function replyIn(
  stdout: string,
  piece: TextPiece,
  hook: RegisteredHook,
): Reply | { readonly error: Error } {
  if (stdout === '') return { held: '', rest: '', notes: [] };
  let said: unknown;
  try {
    said = JSON.parse(stdout);
  } catch {
    return fault('its answer is not JSON');
  }
  if (!isRecord(said)) return fault('its answer is not an object; answer with {"text": …}');
  const { text, held = '', ...rest } = said;
  if (typeof (text ?? '') !== 'string') return fault('its "text" is not a string');
  if (typeof held !== 'string') return fault('its "held" is not a string');
  const beside = { rest: Object.keys(rest).length > 0 ? JSON.stringify(rest) : '' };
  if (typeof text !== 'string') {
    if (held === '') return { held, ...beside, notes: [] };
    if (!piece.text.endsWith(held))
      return fault(
        'its "held" is not the end of the text that it was given; answer with "text" too',
      );
  }
  const shown = typeof text === 'string' ? text : piece.text.slice(0, -held.length);
  const over = piece.done ? 0 : excess(held, hook.stream!.holdBack);
  if (over === 0) return { text: shown, held, ...beside, notes: [] };
  const why = `it held back more than the ${hook.stream!.holdBack} characters of its "holdBack"`;
  if (hook.onFailure === 'block') return fault(why);
  return {
    text: shown + held.slice(0, over),
    held: held.slice(over),
    ...beside,
    notes: [`${why}, so the first ones were let through`],
  };
}

/**
 * Returns how much of a held text exceeds the limit, counted from its start. The limit is in code points,
 * which are what most languages call characters.
 */
function excess(held: string, most: number): number {
  if (held.length <= most) return 0;
  const characters = Array.from(held);
  return characters.slice(0, Math.max(0, characters.length - most)).join('').length;
}

/**
 * Returns the response with the text that hooks let through, or the response itself if they changed nothing.
 */
export function streamedResponse(
  response: GenAIResponse | undefined,
  { blocks }: Pick<AnswerStreamOutcome, 'blocks'>,
): GenAIResponse {
  const said = blocks.filter(({ given, shown }) => given !== '' || shown !== '');
  const text = joined(said.map(({ shown }) => shown));
  if (response === undefined) {
    const content = { role: 'model', parts: text === '' ? [] : [{ text }] };
    return { text, candidates: [{ content, finishReason: 'OTHER', index: 0 }] };
  }
  const [first, ...others] = response.candidates ?? [];
  const parts = first?.content?.parts ?? [];
  const texts = parts.filter(isText);
  const isSame = said.every(({ given, shown }) => given === shown);
  if (isSame && joined(textsOf(parts)) === text) return response;
  const areBlocks =
    texts.length === said.length && texts.every((part, at) => part.text === said[at]!.given);
  const changed = parts.flatMap((part) => {
    if (!isText(part)) return [part];
    const at = texts.indexOf(part);
    const now = areBlocks ? said[at]!.shown : at === 0 ? text : '';
    return now === part.text ? [part] : now === '' ? [] : [{ text: now }];
  });
  const lacks = texts.length === 0 && text !== '' ? [{ text }] : [];
  return {
    ...response,
    text,
    candidates: [
      { ...first, content: { ...first?.content, role: 'model', parts: [...lacks, ...changed] } },
      ...others,
    ],
  };
}

/**
 * Returns the response after hooks that have seen its text on the way to the user. What was shown is final;
 * the reason for a stop is reported by the stop itself.
 */
export function shownResponse(
  response: GenAIResponse,
  output: DefaultHookOutput | undefined,
  onWarning: WarningSink | undefined,
): GenAIResponse {
  if (output?.hookSpecificOutput?.['llm_response'] !== undefined)
    warnPlainly(
      onWarning,
      'AfterModel: the answer was shown as it arrived, so changing the whole answer has no effect; answer each piece of text with "text"',
    );
  return response;
}

const isText = (part: GenAIPart): boolean => (textOf(part) ?? '') !== '';
