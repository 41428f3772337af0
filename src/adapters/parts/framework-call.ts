import type { NeutralResponse } from '../../core/calls/run-model-call.ts';

/** A model call of a framework. */
export interface FrameworkModelCall {
  readonly signal?: AbortSignal | undefined;
  /**
   * Identifies the request if the framework asks again after a failure, such as its list of messages: a turn
   * then begins only once.
   */
  readonly key?: object | undefined;
  /** What the call belongs to, if the framework knows it better than the requests show. */
  readonly within?: FrameworkRun | undefined;
  /** Whether the framework can ask its user when a hook wants it, about all tools or one; default true. */
  readonly canAsk?: boolean | ((toolName: string) => boolean) | undefined;
  /** Receives the answer's text that may be shown. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Receives an answer that AfterAgent hooks do not accept as the last, before the model is asked again. */
  readonly onSentOn?: ((answer: NeutralResponse) => unknown) | undefined;
  /** Whether the calls of a tool go through `tool`; default: all do. The others are not judged. */
  readonly judges?: ((toolName: string) => boolean) | undefined;
}

/** A framework's run. It is one turn of the user's, even if several agents work in it. */
export interface FrameworkRun {
  /** The same object throughout the run. */
  readonly run: object;
  /** Tells apart the parts of a run that work in parallel. */
  readonly part: string;
  readonly sessionId: string;
}

/** A model call, once its turn is known. */
export interface Conditions extends Omit<FrameworkModelCall, 'key' | 'within'> {
  readonly signal: AbortSignal;
}
