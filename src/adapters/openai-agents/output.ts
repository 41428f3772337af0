import type { EndedToolCall } from '../../core/calls/run-tool-call.ts';
import { isRecord } from '../../base/json.ts';
import { type LlmContent, textsIn, type ToolResult } from '../../core/protocol/tool-result.ts';

/** The key under which the model reads what hooks appended to an object. */
const annotations = 'hookmachine';

/** A tool's output as hooks see it: an object stays an object. */
export function toToolResult(output: unknown): ToolResult {
  const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
  const isObject = typeof output === 'object' && output !== null;
  return { llmContent: isObject ? (output as LlmContent) : text, returnDisplay: text };
}

/** What the SDK gets for a call: the tool's own output, unless hooks have changed it. */
export function toolOutput(
  { toolResult, plainResult, appended }: EndedToolCall,
  given: { readonly output: unknown; readonly result: ToolResult } | undefined,
): unknown {
  const isGiven = plainResult.llmContent === given?.result.llmContent;
  const output = isGiven ? given?.output : plainResult.llmContent;
  if (appended.length === 0) return output;
  const note = appended.join('');
  if (typeof output !== 'object' || output === null) return textsIn(toolResult.llmContent);
  if (Array.isArray(output) ? output.every(isContent) : isContent(output))
    return [...[output].flat(), { type: 'text', text: note.trimStart() }];
  return annotated(output, note.trim());
}

/** Content as the SDK passes it to the model, piece by piece. */
const isContent = (value: unknown): boolean =>
  isRecord(value) && /^(?:input_)?(?:text|image|file)$/.test(String(value['type']));

/** The same object for the program; serialized for the model, it includes the annotation. */
function annotated(output: object, note: string): object {
  const copy: object = Array.isArray(output)
    ? [...(output as unknown[])]
    : (Object.create(
        Object.getPrototypeOf(output) as object,
        Object.getOwnPropertyDescriptors(output),
      ) as object);
  const written = (): unknown => {
    const plain: unknown = JSON.parse(JSON.stringify(output));
    return isRecord(plain) ? { ...plain, [annotations]: note } : [plain, note].flat();
  };
  return Object.defineProperty(copy, 'toJSON', { value: written });
}
