import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { withHooks, type WithHooksOptions } from '../../../src/entries/ai-sdk.ts';
import { projectWithHooks } from '../../support/project.ts';
import type { Answers, Asked, Fields, Result, Said, Sdk, Version } from './sdk.ts';

export type Mode = 'generated' | 'streamed';

/** The outcome of a run. */
export interface Ran {
  readonly text: string;
  readonly finishReason: string;
  readonly steps: Result['steps'];
  readonly messages: readonly Fields[];
  /** Only of streamed runs. */
  readonly parts: readonly Fields[];
}

type ToolRun = (input: never, options: never) => unknown;

export interface AgentOptions {
  readonly hooks?: object;
  readonly files?: Readonly<Record<string, string | object>>;
  readonly answers: Answers | readonly Said[];
  readonly tools?: Readonly<Record<string, ToolRun | Fields>>;
  readonly options?: Partial<WithHooksOptions<never, never>>;
  readonly folder?: string;
}

/** An agent with hooks, for one version of the SDK and one way of asking it. */
export function agentOf(
  sdk: Sdk,
  mode: Mode,
  { hooks = {}, files = {}, answers, tools = {}, options = {}, folder: given }: AgentOptions,
) {
  const { ai } = sdk;
  const folder = given ?? projectWithHooks(hooks, files);
  const mock = sdk.model(answers);
  const warnings: string[] = [];
  const stops: string[] = [];
  const blocked: object[] = [];
  const inputSchema = ai.jsonSchema({ type: 'object', additionalProperties: true });
  const wrapped = withHooks({
    model: mock,
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [
        name,
        ai.tool({
          inputSchema,
          ...(typeof tool === 'function' ? { execute: tool } : tool),
        }),
      ]),
    ),
    cwd: folder,
    isTrustedFolder: () => true,
    onWarning: (line) => void warnings.push(line),
    onStop: (reason) => void stops.push(reason),
    onBlocked: (call) => void blocked.push(call),
    ...options,
  });
  onTestFinished(() => wrapped.hooks.end());
  const run = async (prompt: string | readonly object[], more: object = {}): Promise<Ran> => {
    const asked = {
      model: wrapped.model,
      tools: wrapped.tools,
      ...(typeof prompt === 'string' ? { prompt } : { messages: prompt }),
      stopWhen: ai.stepCountIs(9),
      maxRetries: 0,
      onError: () => undefined,
      ...more,
    };
    if (mode === 'generated') {
      const result = await ai.generateText(asked);
      const { text, finishReason, steps } = result;
      // AI SDK 7 has only the messages of the last step in `response`.
      const messages = result.responseMessages ?? result.response.messages;
      return { text, finishReason, steps, messages, parts: [] };
    }
    const result = ai.streamText(asked);
    const parts: Fields[] = [];
    for await (const part of result.fullStream) parts.push(part);
    return {
      text: await result.text,
      finishReason: await result.finishReason,
      steps: await result.steps,
      messages: (await result.responseMessages) ?? (await result.response).messages,
      parts,
    };
  };
  return {
    ...wrapped,
    run,
    folder,
    warnings,
    stops,
    blocked,
    mock,
    /** The requests to the model, one after the other. */
    asked: (): readonly Asked[] =>
      mode === 'generated' ? mock.doGenerateCalls : mock.doStreamCalls,
    /** What hooks wrote into a file; '' if it does not exist. */
    left: (file: string): string => {
      const path = join(folder, file);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    },
  };
}

/** One version of the SDK, and one way of asking it. */
export interface Suite {
  readonly version: Version;
  readonly mode: Mode;
  readonly agent: (options: AgentOptions) => Promise<ReturnType<typeof agentOf>>;
}

export const deny = (reason: string): string => `echo '${reason}' >&2; exit 2`;

/** A model that writes a file. */
export const wantsWrite: Said = { text: 'I write.', calls: [['c1', 'write', { path: 'a.txt' }]] };
export const done: Said = { text: 'Done.' };

/** The results that a model reads in a request. */
export const resultsIn = ({ prompt }: Asked): readonly Fields[] =>
  prompt
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content as readonly Fields[])
    .filter(({ type }) => type === 'tool-result')
    .map(({ output }) => output as Fields);
