import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';
import type * as zod from 'zod';

export type Version = 5 | 6 | 7;

const folderOf = (version: Version): string =>
  fileURLToPath(new URL(`../ai-sdk-${version}/`, import.meta.url));

/** Whether a version of the SDK is installed; `npm run frameworks` installs it. */
export const isInstalled = (version: Version): boolean =>
  existsSync(`${folderOf(version)}node_modules/ai/package.json`);

export type Fields = Readonly<Record<string, unknown>>;

/** The parts of a result that tests look at. */
export interface Result {
  readonly text: string;
  readonly content: readonly Fields[];
  readonly finishReason: string;
  readonly steps: readonly { readonly content: readonly Fields[]; readonly text: string }[];
  readonly response: { readonly messages: readonly Fields[] };
  readonly responseMessages?: readonly Fields[];
}

export interface StreamedResult {
  readonly fullStream: AsyncIterable<Fields>;
  readonly text: PromiseLike<string>;
  readonly content: PromiseLike<readonly Fields[]>;
  readonly finishReason: PromiseLike<string>;
  readonly steps: PromiseLike<Result['steps']>;
  readonly response: PromiseLike<Result['response']>;
  readonly responseMessages?: PromiseLike<readonly Fields[]>;
}

/** The parts of the package `ai` that tests use; a type test checks the adapter against the real types. */
export interface Ai {
  generateText(options: object): Promise<Result>;
  streamText(options: object): StreamedResult;
  tool<Tool extends object>(tool: Tool): Tool;
  jsonSchema(schema: object): object;
  stepCountIs(count: number): unknown;
  wrapLanguageModel(options: object): object;
  simulateReadableStream(options: object): ReadableStream<unknown>;
  readonly Experimental_Agent?: AgentClass;
  readonly ToolLoopAgent?: AgentClass;
}

type AgentClass = new (options: object) => {
  generate(options: object): Promise<Result>;
};

/** What a model is asked, in the SDK's form. */
export interface Asked {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
  readonly toolChoice?: Fields;
  readonly temperature?: number;
  readonly abortSignal?: AbortSignal;
}

/** What a model answers. */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly (readonly [id: string, name: string, input: Fields | string])[];
  /** Pieces of any kind, before the text. */
  readonly more?: readonly Fields[];
  /** Pieces that only the stream has, before the text. */
  readonly streamed?: readonly Fields[];
  /** All pieces between the first and the last of the stream, in place of these. */
  readonly pieces?: (asked: Asked) => AsyncIterable<Fields>;
  readonly finish?: string;
}

export type Answers = (asked: Asked, count: number) => Said | Promise<Said>;

export interface Sdk {
  readonly version: Version;
  readonly ai: Ai;
  readonly zod: typeof zod;
  model(answers: Answers | readonly Said[]): MockModel;
}

export interface MockModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly doGenerateCalls: readonly Asked[];
  readonly doStreamCalls: readonly Asked[];
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

export async function loadSdk(version: Version): Promise<Sdk> {
  const require = createRequire(`${folderOf(version)}index.js`);
  const load = async (name: string): Promise<unknown> =>
    import(pathToFileURL(require.resolve(name)).href);
  const folder = `${folderOf(version)}node_modules/ai/dist/`;
  const file = (name: string): string =>
    ['mjs', 'js'].map((end) => `${folder}${name}.${end}`).find((path) => existsSync(path))!;
  const ai = (await import(pathToFileURL(file('index')).href)) as Ai;
  const mocks = (await import(pathToFileURL(file('test/index')).href)) as Record<
    string,
    new (options: object) => MockModel
  >;
  const Mock = mocks[`MockLanguageModelV${version - 3}`]!;
  const schemas = (await load('zod')) as Sdk['zod'];
  return { version, ai, zod: schemas, model: (answers) => mock(ai, Mock, version, answers) };
}

const callOf = ([toolCallId, toolName, input]: readonly [string, string, Fields | string]) => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: typeof input === 'string' ? input : JSON.stringify(input),
});

function mock(
  ai: Ai,
  Mock: new (options: object) => MockModel,
  version: Version,
  answers: Answers | readonly Said[],
): MockModel {
  let count = 0;
  const answer = async (asked: Asked): Promise<Said> => {
    const said = Array.isArray(answers)
      ? (answers as readonly Said[])[count]
      : await (answers as Answers)(asked, count);
    count += 1;
    if (said === undefined) throw new Error('the model was asked too often');
    return said;
  };
  const nested = (total: number) =>
    version === 5 ? total : { total, noCache: total, cacheRead: 0, cacheWrite: 0 };
  const usage = {
    inputTokens: nested(3),
    outputTokens: version === 5 ? 4 : { total: 4, text: 4, reasoning: 0 },
    ...(version === 5 && { totalTokens: 7 }),
  };
  const finishReason = ({ calls = [], finish }: Said): unknown => {
    const word = finish ?? (calls.length > 0 ? 'tool-calls' : 'stop');
    return version === 5 ? word : { unified: word, raw: word };
  };
  return new Mock({
    modelId: 'some-model',
    doGenerate: async (asked: Asked) => {
      const said = await answer(asked);
      return {
        content: [
          ...(said.more ?? []),
          ...(said.text === undefined ? [] : [{ type: 'text', text: said.text }]),
          ...(said.calls ?? []).map(callOf),
        ],
        finishReason: finishReason(said),
        usage,
        warnings: [],
      };
    },
    doStream: async (asked: Asked) => {
      const said = await answer(asked);
      const ending = { type: 'finish', finishReason: finishReason(said), usage };
      if (said.pieces) return { stream: streamOf(said.pieces(asked), ending) };
      const words = said.text?.match(/\S+\s*|^$/g) ?? [];
      const chunks = [
        { type: 'stream-start', warnings: [] },
        { type: 'response-metadata', id: 'r-1', modelId: 'some-model' },
        ...(said.more ?? []),
        ...(said.streamed ?? []),
        ...(said.text === undefined
          ? []
          : [
              { type: 'text-start', id: '1' },
              ...words.map((delta) => ({ type: 'text-delta', id: '1', delta })),
              { type: 'text-end', id: '1' },
            ]),
        ...(said.calls ?? []).flatMap((call) => {
          const { toolCallId: id, toolName, input } = callOf(call);
          const half = Math.ceil(input.length / 2);
          return [
            { type: 'tool-input-start', id, toolName },
            { type: 'tool-input-delta', id, delta: input.slice(0, half) },
            { type: 'tool-input-delta', id, delta: input.slice(half) },
            { type: 'tool-input-end', id },
            callOf(call),
          ];
        }),
        ending,
      ];
      return {
        stream: ai.simulateReadableStream({ chunks, chunkDelayInMs: null, initialDelayInMs: null }),
      };
    },
  });
}

/** A provider's stream that yields pieces as they come. */
const streamOf = (pieces: AsyncIterable<Fields>, ending: Fields): ReadableStream<Fields> =>
  ReadableStream.from(
    (async function* () {
      yield { type: 'stream-start', warnings: [] };
      yield* pieces;
      yield ending;
    })(),
  );
