import { defined } from '../../../base/json.ts';
import type { GenAIConfig } from '../../../core/translate/genai-types.ts';
import { textsOf, toTurns } from '../../../core/translate/turns.ts';
import type { ModelPart } from '../../../core/translate/model.ts';
import { callIds } from './call-ids.ts';
import { toFile } from './files.ts';
import { toOutput } from './tool-output.ts';
import type {
  FilePart,
  Message,
  Metadata,
  Specification,
  TextPart,
  ToolResultPart,
} from './types.ts';

/** A conversation as messages of the AI SDK. */
export function toPrompt(
  systemInstruction: GenAIConfig['systemInstruction'],
  contents: unknown,
  specification: Specification,
): Message[] {
  const ids = callIds();
  const messages: Message[] = [];
  for (const { content, role } of toTurns(contents)) {
    const parts: readonly ModelPart[] = content.parts ?? [];
    if (role === 'model') messages.push(fromModel(parts, ids, specification));
    else {
      addResults(messages, toResults(parts, ids, specification));
      messages.push(fromUser(parts, specification));
    }
  }
  const system = toTurns(systemInstruction).flatMap(({ content }) => textsOf(content.parts));
  return [{ role: 'system', content: system.join('\n\n') } as const, ...messages].filter(
    ({ content }) => content.length > 0,
  );
}

type Ids = ReturnType<typeof callIds>;

type Assistant = Extract<Message, { role: 'assistant' }>;

function fromModel(parts: readonly ModelPart[], ids: Ids, specification: Specification): Message {
  const content: Assistant['content'] = [];
  for (const part of parts) {
    const options = optionsOf(part);
    const { functionCall: call, text } = part;
    if (call)
      content.push({
        type: 'tool-call',
        toolCallId: ids.called(call),
        toolName: call.name ?? '',
        input: call.args ?? {},
        ...options,
      });
    else if (text === undefined) content.push(...toFiles(part, specification));
    else if (text !== '' || options.providerOptions)
      content.push({ type: part.thought ? 'reasoning' : 'text', text, ...options });
  }
  return { role: 'assistant', content };
}

const toResults = (
  parts: readonly ModelPart[],
  ids: Ids,
  specification: Specification,
): ToolResultPart[] =>
  parts
    .map(({ functionResponse }) => functionResponse)
    .filter((response) => response !== undefined)
    .map((response) => ({
      type: 'tool-result',
      toolCallId: ids.answered(response),
      toolName: response.name ?? '',
      output: toOutput(response, specification),
    }));

/**
 * Puts results directly after their calls, where providers expect them, before anything that the user said
 * since.
 */
function addResults(messages: Message[], content: ToolResultPart[]): void {
  const calls = messages.findLastIndex(({ role }) => role !== 'user');
  const before = messages[calls];
  if (before?.role === 'tool') before.content.push(...content);
  else if (content.length > 0) messages.splice(calls + 1, 0, { role: 'tool', content });
}

function fromUser(parts: readonly ModelPart[], specification: Specification): Message {
  const content = parts.flatMap((part): (TextPart | FilePart)[] =>
    part.text ? [{ type: 'text', text: part.text }] : toFiles(part, specification),
  );
  return { role: 'user', content };
}

function toFiles(part: ModelPart, specification: Specification): FilePart[] {
  const file = toFile(part, specification);
  return file ? [{ ...file, ...optionsOf(part) }] : [];
}

interface Options {
  readonly providerOptions?: Metadata;
}

/**
 * The metadata that the provider needs back: as it came through the AI SDK, or as Google's own client gave
 * it.
 */
const optionsOf = ({ providerMetadata, thoughtSignature }: ModelPart): Options =>
  defined<Options>({
    providerOptions:
      (providerMetadata as Metadata | undefined) ??
      (thoughtSignature === undefined ? undefined : { google: { thoughtSignature } }),
  });
