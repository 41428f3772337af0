import { isRecord } from '../../protocol/output.ts';
import { textsIn } from '../../protocol/tool-result.ts';
import { toKodeletTool } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** By result, how it was told or given: every hook is told the same, letter by letter. */
const structured = new WeakMap<object, Fields>();

/** A tool's result as Kodelet's structured result (seed 002, ADR 015). */
export function toKodeletOutput(ourToolName: string, given: unknown): Fields {
  const response = isRecord(given) ? given : {};
  const known = structured.get(response);
  if (known) return known;
  const { llmContent, error, metadata } = response;
  const toolName = toKodeletTool(ourToolName);
  const output = {
    toolName,
    success: !isRecord(error),
    ...(isRecord(error) && { error: textsIn(error['message']) }),
    metadataType: toolName,
    metadata: { ...(isRecord(metadata) && metadata), output: textsIn(llmContent) },
    timestamp: new Date().toISOString(),
  };
  structured.set(response, output);
  return output;
}

/** Kodelet's structured result in the form of `tool_response`. */
export function fromKodeletOutput(output: Fields): Fields {
  const { success, error, metadata } = output;
  const isError = success === false || (typeof error === 'string' && error !== '');
  const message = typeof error === 'string' && error !== '' ? error : 'The tool failed.';
  const said = isRecord(metadata) ? (metadata['output'] ?? metadata['content']) : undefined;
  // Whatever else a hook gives is for the model to read as it stands.
  const text = typeof said === 'string' ? said : isError ? '' : JSON.stringify(output);
  const told = isError && !text.includes(message) ? `${message}\n${text}`.trimEnd() : text;
  const response = {
    llmContent: told,
    returnDisplay: told,
    ...(isRecord(metadata) && { metadata }),
    ...(isError && { error: { message } }),
  };
  structured.set(response, output);
  return response;
}
