import type { EventContext } from '../../core/answers/event-context.ts';
import { fireAfterModelHook } from '../../core/calls/hook-triggers.ts';
import { later } from '../../core/run/run-machine.ts';
import {
  type EndedNeutralCall,
  type NeutralPart,
  type NeutralRequest,
  type NeutralResponse,
  runModelCall,
} from '../../core/calls/run-model-call.ts';
import { refusalOf } from '../../core/calls/tool-choice.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { defaultHookTranslator } from '../../core/translate/genai-v1.ts';
import { textOf as textIn } from '../parts/turns.ts';

/** The session that asks a model. */
interface Around {
  readonly context: EventContext & { readonly signal: AbortSignal };
  stop(reason: string): void;
}

/** A model call that OpenCode makes: its hooks see the request, and then the answer. */
export class OpenModelCall {
  /** The request to send; undefined if the model must not be asked. */
  readonly sent: Promise<NeutralRequest | undefined>;
  readonly ended: Promise<EndedNeutralCall>;
  readonly #config: HookSystemConfig;
  readonly #around: Around;
  readonly #answer = later<NeutralResponse>();
  #isAnswered = false;
  /** The request as it was sent, once it is known. */
  request: NeutralRequest | undefined;

  constructor(config: HookSystemConfig, around: Around, request: NeutralRequest) {
    this.#config = config;
    this.#around = around;
    const sent = later<NeutralRequest | undefined>();
    this.sent = sent.promise;
    this.ended = runModelCall(
      config,
      request,
      (changed) => {
        this.request = changed;
        sent.settle(changed);
        return this.#answer.promise;
      },
      around.context,
    ).then((call) => {
      sent.settle(undefined);
      return call;
    });
  }

  /** Takes a finished text of the answer through its hooks, and returns what they left of it. */
  async text(text: string): Promise<string> {
    if (this.#isAnswered) return this.#furtherText(text);
    const { response, stop } = await this.answer({ parts: [{ text }], finishReason: 'STOP' });
    if (stop) this.#around.stop(stop.reason);
    return response ? textIn(response.parts) : text;
  }

  /** Hands in what the model answered, if it said no text before. */
  answer(response: NeutralResponse): Promise<EndedNeutralCall> {
    this.#isAnswered = true;
    this.#answer.settle(response);
    return this.ended;
  }

  /** Reports that the answer is a tool call; hooks see an answer without text. */
  async answerWithCall(call: NonNullable<NeutralPart['call']>): Promise<void> {
    const { stop } = await (this.#isAnswered ? this.ended : this.answer({ parts: [{ call }] }));
    if (stop) this.#around.stop(stop.reason);
  }

  /** Why a tool may not be called in answer to the request. */
  refusal(tool: string): string | undefined {
    const toolConfig = this.request?.toolConfig;
    if (!toolConfig) return undefined;
    const config = { toolConfig: defaultHookTranslator.fromHookToolConfig(toolConfig) };
    return refusalOf(tool, { model: '', contents: [], config });
  }

  /** An answer may have several texts: hooks see each further one by itself. */
  async #furtherText(text: string): Promise<string> {
    const { model = '', messages = [] } = this.request ?? {};
    const contents = messages.map(({ role, parts }) => ({
      role,
      parts: [{ text: textIn(parts) }],
    }));
    const content = { role: 'model', parts: [{ text }] };
    const { response, shouldStop, stopReason } = await fireAfterModelHook(
      this.#config,
      { model, contents },
      { candidates: [{ content, index: 0, finishReason: 'STOP' }] },
      this.#around.context,
    );
    if (shouldStop) this.#around.stop(stopReason ?? '');
    const { parts = [] } = response.candidates?.[0]?.content ?? {};
    return parts.map((part) => part.text ?? '').join('');
  }
}
