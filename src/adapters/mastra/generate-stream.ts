import type { Content, GenerateResult, StreamPart } from '../ai-sdk/types.ts';

/**
 * Adds the stream that Mastra's own model objects return with a whole answer: it is all that Mastra reads.
 */
export const withStream = (
  result: GenerateResult,
): GenerateResult & { readonly stream: object } => ({
  ...result,
  stream: new ReadableStream<object>({
    start(controller) {
      const { content, finishReason, usage, warnings, ...rest } = result;
      const { response, providerMetadata } = rest as {
        readonly response?: object;
        readonly providerMetadata?: unknown;
      };
      controller.enqueue({ type: 'stream-start', warnings });
      controller.enqueue({ ...response, type: 'response-metadata' });
      content.flatMap(partsOf).forEach((part) => controller.enqueue(part));
      controller.enqueue({ type: 'finish', finishReason, usage, providerMetadata });
      controller.close();
    },
  }),
});

function partsOf(content: Content, index: number): readonly (StreamPart | Content)[] {
  const { type, text, toolCallId, toolName, input = '' } = content;
  const { providerMetadata } = content as { readonly providerMetadata?: unknown };
  const signed = providerMetadata === undefined ? {} : { providerMetadata };
  if (type === 'text' || type === 'reasoning') {
    const id = `${type}-${index}`;
    return [
      { type: `${type}-start`, id, ...signed },
      { type: `${type}-delta`, id, delta: text ?? '', ...signed },
      { type: `${type}-end`, id, ...signed },
    ];
  }
  if (type !== 'tool-call' || toolCallId === undefined || toolName === undefined) return [content];
  return [
    { type: 'tool-input-start', id: toolCallId, toolName },
    { type: 'tool-input-delta', id: toolCallId, delta: input },
    { type: 'tool-input-end', id: toolCallId },
    content,
  ];
}
