import type { ToolInput } from '../../../machines/tool-call.ts';
import {
  type CallNeutralModel,
  type NeutralRequest,
  type NeutralResponse,
} from '../../core/calls/run-model-call.ts';
import { textTo } from '../../core/calls/model-call-ports.ts';
import type { ToolCallVerdict } from '../../core/calls/open-tool-call.ts';
import type { EndedToolCall, ToolCallRequest } from '../../core/calls/run-tool-call.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { onAbort } from '../../core/run/run-machine.ts';
import { messageOf } from '../../base/message-of.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';
import { LooksAhead } from './looks-ahead.ts';
import { BeginTurns } from './begin-turns.ts';
import type { FrameworkModelCall } from './framework-call.ts';
import { JudgeAnswer, stoppedBefore } from './judge-answer.ts';
import { LooseStops } from './loose-stops.ts';
import { DurableCalls } from './durable-calls.ts';
import { Notices } from './notices.ts';
import { type AdapterOptions, configOf, isOwn } from './options.ts';
import {
  type FrameworkToolCall,
  continueCall,
  continueKept,
  isKept,
  judgeNow,
  type RunTool,
  isSame,
} from './run-tool.ts';
import { Questions } from './questions.ts';
import { Sessions } from './sessions.ts';
import { TurnAnswers } from './turn-answers.ts';
import { type JudgedCall, type OpenJudgedCall, resultsAtEnd, type Turn, Turns } from './turns.ts';

/**
 * The hooks around an agent that a framework runs, for adapters. The adapter converts model calls and tool
 * calls to the neutral form; sessions, turns, verdicts and stops are derived from those alone.
 *
 * A tool call is judged when the model's answer asks for it, so that the framework shows, stores, validates
 * and asks about the final arguments; its machine stays open until the tool has run.
 */
export class AgentHooks extends LooksAhead {
  readonly config: HookSystemConfig;
  readonly notices: Notices;
  readonly #options: AdapterOptions;
  readonly #turns = new Turns();
  readonly #sessions: Sessions;
  readonly #questions: Questions;
  readonly #looseStops = new LooseStops();
  readonly #durable: DurableCalls | undefined;
  readonly #beginnings: BeginTurns;
  readonly #judge: JudgeAnswer;
  readonly #answers: TurnAnswers;

  constructor(options: AdapterOptions) {
    super();
    const { durable, sessionId, onSuspended } = options;
    if (durable && sessionId === undefined)
      throw new TypeError('`durable` needs a `sessionId`, so that another process can find the calls of a conversation'); // prettier-ignore
    this.#options = options;
    this.config = configOf(options);
    this.#durable = durable && new DurableCalls(durable, onSuspended);
    this.notices = new Notices(options, this.config);
    this.#sessions = new Sessions(this.config, (notice) => this.notices.tell(notice));
    this.#questions = new Questions(this.config, this.#sessions);
    const turns = this.#turns;
    this.#judge = new JudgeAnswer({
      config: this.config,
      turns,
      durable: this.#durable,
      questions: this.#questions,
      nameOf: (name) => this.nameOf(name),
      judgesTool: (name) => this.judgesTool(name),
    });
    this.#answers = new TurnAnswers({
      config: this.config,
      options,
      turns,
      notices: this.notices,
      judge: this.#judge,
    });
    this.#beginnings = new BeginTurns({
      turns,
      answers: this.#answers,
      sessions: this.#sessions,
      looseStops: this.#looseStops,
      durable: this.#durable,
    });
  }

  /**
   * Whether calls are kept beyond the process. Then all of them are, because hooks may come from the database
   * too.
   */
  get isDurable(): boolean {
    return this.#durable !== undefined;
  }

  /** The name by which hooks know a tool. */
  nameOf(toolName: string): string {
    return this.#options.tools?.alias?.[toolName] ?? toolName;
  }

  protected override isUnderWay(run?: object): boolean {
    return (
      !this.#turns.areNone() ||
      !this.#looseStops.areNone() ||
      (run !== undefined && this.#beginnings.hasRun(run))
    );
  }

  protected override isDecided(asked: ToolCallRequest): boolean {
    return this.verdictOf(asked) !== undefined || this.#turns.stopOf(asked.id) !== undefined;
  }

  /**
   * Takes a framework's model call through its hooks: the turn that it begins or continues, the call itself,
   * and the tool calls of its answer, whose arguments come back as hooks left them. Parts that no hook
   * touched are the given objects.
   *
   * @throws what `callModel` threw, or the signal's reason
   */
  async model(
    request: NeutralRequest,
    callModel: CallNeutralModel,
    { signal = new AbortController().signal, key, within, ...how }: FrameworkModelCall = {},
  ): Promise<NeutralResponse> {
    const ready = this.ready();
    if (ready) await ready;
    this.#durable?.assertAnswered(resultsAtEnd(request));
    if (!this.seesAnything())
      return callModel(request, signal, textTo(how.onText ?? (() => undefined)));
    const begun = within
      ? await this.#beginnings.within(within, request, signal)
      : await this.#beginnings.of(request, this.#sessionId(), signal, key);
    if ('answer' in begun) return begun.answer;
    const { turn } = begun;
    const cancelled = (): void => this.#turns.end(turn, messageOf(signal.reason));
    const stopListening = onAbort(signal, cancelled);
    try {
      return await this.#answers.of(turn, request, callModel, { signal, ...how });
    } catch (error) {
      if (key && !signal.aborted) this.#beginnings.failed(key, turn);
      else this.#turns.end(turn, messageOf(error));
      throw error;
    } finally {
      // Calls that are still open listen for themselves.
      stopListening();
    }
  }

  /**
   * What hooks decided about a tool call that the model's last answer asked for; undefined if it was not
   * judged.
   */
  verdictOf(asked: ToolCallRequest): ToolCallVerdict | undefined {
    return this.#openCall(asked, false)?.verdict;
  }

  /** What hooks decided about a call with these arguments, if the framework does not say which call it asks about. */
  verdictOfSame(name: string, input: ToolInput): ToolCallVerdict | undefined {
    return this.#turns.like(this.nameOf(name), input)?.verdict;
  }

  /**
   * Whether the user must be asked about a call that the framework would ask about by itself: ToolPermission
   * hooks may answer in the user's place, and Notification hooks see the question.
   */
  isToBeAsked(asked: ToolCallRequest, signal?: AbortSignal): boolean | Promise<boolean> {
    return this.#questions.isToBeAsked(this.#openCall(asked, false), signal);
  }

  /** Whether the user must be asked about a call with these arguments, if the framework does not say which it is. */
  mayBeAsked(name: string, input: ToolInput): boolean | Promise<boolean> {
    return this.#questions.isToBeAsked(this.#turns.like(this.nameOf(name), input), undefined);
  }

  /**
   * Whether the framework was conditions to ask about a call: if it runs, its user has approved it. False for calls
   * kept beyond the process, which are answered there.
   */
  async wasToBeAsked(asked: ToolCallRequest): Promise<boolean> {
    return !this.isDurable && (await this.#openCall(asked, true)?.question) === true;
  }

  /** The arguments that a hook permitted in the user's place, if they differ from the framework's. */
  permittedInput(asked: ToolCallRequest): ToolInput | undefined {
    return this.#openCall(asked, false)?.permitted;
  }

  /**
   * Takes a tool call through its hooks as the framework runs it: a call that was judged continues from
   * there, any other is judged now. A tool that throws yields a result with `error`.
   *
   * @throws what interrupted the call: it is then still open, and continues when the framework runs it again
   */
  async tool(
    {
      signal,
      isApproved = false,
      isVerbatim = false,
      isSubagent = false,
      sessionId,
      confirm,
      asksAgain,
      read,
      isInterruption = () => false,
      ...asked
    }: FrameworkToolCall,
    run: RunTool,
  ): Promise<EndedToolCall> {
    const { id, name, input } = asked;
    const found = this.#openCall(asked, isVerbatim, sessionId);
    const turn = found?.turn ?? this.#turns.wanting(id, () => true);
    const stopped = this.#looseStops.of(id) ?? (this.#turns.stopOf(id) && stoppedBefore);
    const conditions = {
      signal,
      sessionId: turn?.sessionId ?? sessionId ?? this.#sessionId(),
      notOffered: stopped,
      ...(isSubagent && { invokedBy: 'subagent' as const }),
    };
    const request = { id, name: this.nameOf(name), input };
    const how = { signal, confirm, asksAgain, isInterruption };
    const kept = found ? undefined : this.#durable?.open(request, conditions);
    const open = found?.call ?? kept;
    if (open) {
      found?.turn.open.delete(id);
      try {
        const ended = await (isKept(open)
          ? continueKept(open, input, run, { ...how, read, anew: () => this.#durable!.open(request, { ...conditions, isNew: true }) }) // prettier-ignore
          : continueCall(open, found?.permitted ?? input, run, how));
        await this.#ended(ended, turn, id, name);
        return ended;
      } catch (error) {
        this.#durable?.note(id, error);
        if (found) found.turn.open.set(id, found);
        kept?.leave();
        throw error;
      }
    }
    const ended = await judgeNow(this.config, request, run, isInterruption, {
      ...conditions,
      asks: 'where a hook wants it',
      ...(confirm && { confirm }),
      ...(isApproved && { confirm: () => true }),
    });
    await this.#ended(ended, turn, id, name);
    return ended;
  }

  /** Ends the sessions: open calls are cancelled, SessionEnd hooks run, and a hook system of our own is disposed. */
  async end(reason: HookEventFields['SessionEnd']['reason'] = 'exit'): Promise<void> {
    this.#turns.leaveAll('the session ended');
    await this.#sessions.endAll(reason);
    if (isOwn(this.#options)) this.config.getHookSystem()?.dispose();
  }

  #sessionId(): string {
    const { sessionId } = this.#options;
    return typeof sessionId === 'function'
      ? sessionId()
      : (sessionId ?? this.config.getSessionId());
  }

  /**
   * The judged call that a framework runs. Ids are unique only within a run, so the arguments tell which of
   * several it is.
   */
  #openCall(
    { id, name, input }: ToolCallRequest,
    isVerbatim: boolean,
    sessionId?: string,
  ): OpenJudgedCall | undefined {
    const isNamed = (judged: JudgedCall | undefined): judged is JudgedCall =>
      judged?.call.request.name === this.nameOf(name);
    const isSameCall = (judged: JudgedCall | undefined): boolean =>
      isNamed(judged) && isSame(judged.input, input);
    const turn = this.#turns.wanting(id, ({ open }) => isSameCall(open.get(id)));
    const judged = turn?.open.get(id);
    if (turn === undefined || !isNamed(judged)) return undefined;
    if (this.isDurable) {
      // A kept call runs with what was shown, whatever is given; and an answer given in another conversation
      // does not count in this one.
      if (turn.sessionId !== (sessionId ?? this.#sessionId())) return undefined;
    } else if (isVerbatim && !isSameCall(judged)) return undefined;
    return { ...judged, turn };
  }

  async #ended(
    ended: EndedToolCall,
    turn: Turn | undefined,
    id: string,
    tool: string,
  ): Promise<void> {
    const { stop, notice, outcome, plainResult, toolResult } = ended;
    if (toolResult.suppressDisplay) this.notices.hiding('AfterTool', `the result of ${tool}`);
    if (notice !== undefined) this.notices.tell(notice);
    if (outcome.status === 'blocked')
      this.notices.blocked({ tool, reason: plainResult.error?.message ?? '' });
    turn?.run?.ended(id, stop);
    if (!stop) return;
    if (turn) turn.stop ??= stop;
    else this.#looseStops.keep(id, stop.reason);
    this.#options.onStop?.(stop.reason);
    if (turn) await this.#judge.cancelUnbegun(turn);
  }
}
