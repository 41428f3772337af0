import { setImmediate, setTimeout } from 'node:timers/promises';
import { defined } from '../../base/json.ts';
import type { GenAIResponse } from '../../core/translate/genai-types.ts';
import { unmet } from './scripted/expectations.ts';
import { readScript } from './scripted/read-script.ts';
import type { PlacedTurn, ScriptedTurn } from './scripted/turn.ts';
import type {
  GenerateOptions,
  Model,
  ModelPart,
  ModelRequest,
} from '../../core/translate/model.ts';
import { ModelError } from './model-error.ts';
import { untilAbort } from './until-abort.ts';
import { counted } from '../../base/counted.ts';

export type { ScriptedTurn } from './scripted/turn.ts';

/**
 * A model that answers from a YAML file, without a key or a network. The file is a list of turns, one
 * per call, in order:
 *
 * ```yaml
 * - text: I will read it first.
 *   calls:
 *     - name: read_file
 *       args: { file_path: README.md }
 * - expect: hookmachine # the last message must contain it
 *   text: It is about hooks.
 * ```
 *
 * `docs/scripted-models.md` describes every key. A mistake in the file is a `ModelError` that names its
 * line, column and fix.
 */
export async function scriptedModel(file: string): Promise<Model> {
  return fromTurns(await readScript(file), file);
}

/**
 * Like `scriptedModel`, from turns in memory.
 *
 * @example
 * const model = modelFromTurns([{ calls: [{ name: 'glob', args: { pattern: '*' } }] }, { text: 'Done.' }]);
 */
export const modelFromTurns = (turns: readonly ScriptedTurn[]): Model =>
  fromTurns(turns.map((turn) => ({ turn })));

function fromTurns(turns: readonly PlacedTurn[], file = 'the scripted model'): Model {
  let asked = 0;
  return {
    name: 'scripted',
    generate: (request, options) =>
      untilAbort(options.signal, (signal) => {
        const index = asked;
        asked += 1;
        const placed = turns[index];
        if (placed === undefined)
          throw new ModelError(
            `${file} holds ${counted(turns.length, 'turn')}, but the model was asked again; add a turn`,
          );
        return play(placed, index + 1, request, { ...options, signal });
      }),
  };
}

async function play(
  { turn, place = 'the scripted model' }: PlacedTurn,
  number: number,
  request: ModelRequest,
  { signal, onText }: GenerateOptions,
): Promise<GenAIResponse> {
  const lacking = unmet(turn.expect, request);
  if (lacking !== undefined) throw new ModelError(`${place} turn ${number}: ${lacking}`);
  if (turn.delay) await setTimeout(turn.delay, undefined, { signal });
  for (const [index, word] of wordsOf(turn.text).entries()) {
    if (index > 0 && turn.wordDelay) await setTimeout(turn.wordDelay, undefined, { signal });
    else await setImmediate(undefined, { signal });
    onText?.(word);
  }
  if (turn.error !== undefined) throw failureOf(turn.error);
  return defined<GenAIResponse>({
    text: turn.text ?? '',
    candidates: [
      {
        content: { role: 'model', parts: partsOf(turn, number) },
        finishReason: turn.finishReason ?? 'STOP',
        index: 0,
      },
    ],
    usageMetadata: turn.usage && defined<object>(turn.usage),
    modelVersion: 'scripted',
  });
}

/** The words of a text, each with its surrounding white space. */
const wordsOf = (text = ''): string[] => text.match(/\s*\S+\s*|\s+/g) ?? [];

function partsOf({ text, calls = [] }: ScriptedTurn, number: number): ModelPart[] {
  return [
    ...(text ? [{ text }] : []),
    ...calls.map(({ name, args = {}, id }, index) => ({
      // A copy, because the receiver may change the arguments.
      functionCall: { id: id ?? `call-${number}-${index + 1}`, name, args: structuredClone(args) },
    })),
  ];
}

function failureOf(error: NonNullable<ScriptedTurn['error']>): ModelError {
  const { message, status } = typeof error === 'string' ? { message: error } : error;
  return new ModelError(`scripted: ${message}`, {
    status,
    retryable: status === 429 || (status ?? 0) >= 500,
  });
}
