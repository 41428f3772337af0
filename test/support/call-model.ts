import type { CallModel } from '../../src/core/calls/model-call-ports.ts';
import { runGenAIModelCall, type EndedModelCall } from '../../src/core/calls/genai-model-call.ts';
import type { CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import type { AggregatedHookResult } from '../../src/core/answers/results.ts';
import type { ModelPart } from '../../src/core/translate/model.ts';
import type { GenAIContent, GenAIRequest } from '../../src/core/translate/genai-types.ts';
import { saying } from './some-model.ts';
import { startSession, type Session } from './session.ts';

const image: ModelPart = { inlineData: { mimeType: 'image/png' } };

const contents: GenAIContent[] = [
  { role: 'user', parts: [{ text: 'Read a.txt' }] },
  { role: 'model', parts: [{ functionCall: { id: '1', name: 'read', args: { path: 'a.txt' } } }] },
  {
    role: 'user',
    parts: [{ functionResponse: { id: '1', name: 'read', response: { output: 'A' } } }],
  },
  { role: 'user', parts: [{ text: 'And this?' }, image] },
];

/** A request with all that hooks must not lose: settings, tools, a system instruction. */
export const someRequest = {
  model: 'some-model',
  contents,
  config: {
    systemInstruction: 'Be brief.',
    temperature: 0.5,
    topK: 40,
    tools: [{ functionDeclarations: [{ name: 'read' }, { name: 'write' }] }],
  },
};

export interface CallOptions {
  readonly request?: GenAIRequest;
  /** The model; default: one that says "Hello". */
  readonly model?: CallModel;
  readonly signal?: AbortSignal;
  readonly config?: Partial<CreateConfigOptions>;
}

/** An ended model call, and what tests can check about it. */
export interface SeenModelCall extends EndedModelCall {
  /** The requests that the model received. */
  readonly sent: readonly GenAIRequest[];
  /** What was reported about hooks, in order, and when the model was asked. */
  readonly reported: readonly (string | [string, AggregatedHookResult])[];
  readonly session: Session;
}

/** Makes one model call with these hooks around it. */
export async function callModel(
  hooks: Parameters<typeof startSession>[0],
  {
    request = someRequest,
    model = () => Promise.resolve(saying('Hello')),
    signal,
    config,
  }: CallOptions = {},
): Promise<SeenModelCall> {
  const session = await startSession(hooks, config);
  const sent: GenAIRequest[] = [];
  const reported: (string | [string, AggregatedHookResult])[] = [];
  const ended = await runGenAIModelCall(
    session.config,
    { id: 'call-1', request },
    (asked, modelSignal, text) => {
      sent.push(asked);
      reported.push('model');
      return model(asked, modelSignal, text);
    },
    { ...(signal && { signal }), onHooks: (event, result) => reported.push([event, result]) },
  );
  return { ...ended, sent, reported, session };
}
