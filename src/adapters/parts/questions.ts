import { isDeepStrictEqual } from 'node:util';
import type { ToolCallVerdict } from '../../core/calls/open-tool-call.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { mayHaveHooks } from './looks-ahead.ts';
import type { Sessions } from './sessions.ts';
import type { OpenJudgedCall, Turn } from './turns.ts';

const type = 'ToolPermission';

/** The user is asked about the arguments that the framework has shown; others would run unseen. */
const changedLate =
  'A ToolPermission hook changed the arguments of this call after they were shown, and did not approve it.';

/** Whether hooks may react to a question about a tool. */
export const mayHearQuestion = (config: HookSystemConfig, toolName: string): boolean =>
  mayHaveHooks(config, 'ToolPermission', toolName) || mayHaveHooks(config, 'Notification', type);

/** What hooks see of a framework's questions to its user about tool calls. */
export class Questions {
  readonly #config: HookSystemConfig;
  readonly #sessions: Sessions;

  constructor(config: HookSystemConfig, sessions: Sessions) {
    this.#config = config;
    this.#sessions = sessions;
  }

  /**
   * Whether the user must be asked about a call that the framework would ask about by itself: ToolPermission
   * hooks may answer in the user's place.
   */
  isToBeAsked(
    found: OpenJudgedCall | undefined,
    signal: AbortSignal | undefined,
  ): boolean | Promise<boolean> {
    if (found?.verdict === undefined) return true;
    const { turn, question, call, verdict, input } = found;
    if (question) return question;
    if (verdict.status === 'ended') return false;
    const { id, name } = call.request;
    if (verdict.status === 'asked') {
      turn.open.set(id, { call, verdict, input, question: Promise.resolve(true) });
      return true;
    }
    if (!mayHearQuestion(this.#config, name)) return true;
    const raised = this.#raise(found, signal);
    turn.open.set(id, { call, verdict, input, question: raised });
    return raised;
  }

  async #raise(
    { turn, call, input }: OpenJudgedCall,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { id } = call.request;
    let verdict = await call.question();
    const isSame = verdict.status === 'ended' || isDeepStrictEqual(verdict.toolInput, input);
    if (verdict.status === 'asked' && !isSame) verdict = await call.answer(changedLate);
    const isAsked = verdict.status === 'asked';
    turn.open.set(id, {
      call,
      input,
      verdict,
      question: Promise.resolve(isAsked),
      ...(verdict.status === 'allowed' && !isSame && { permitted: verdict.toolInput }),
    });
    if (verdict.status === 'asked') await this.announce(turn, call.request.name, verdict, signal);
    return isAsked;
  }

  /** Shows Notification hooks that the framework is about to ask its user. */
  async announce(
    { sessionId }: Turn,
    tool: string,
    { toolInput, reason }: Extract<ToolCallVerdict, { status: 'asked' }>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const fields = {
      notification_type: type,
      message: reason ?? `The agent wants to run ${tool}.`,
      details: { tool_name: tool, tool_input: toolInput },
    };
    await this.#sessions.fire('Notification', fields, sessionId, type, signal);
  }
}
