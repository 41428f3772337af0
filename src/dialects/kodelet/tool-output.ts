import { isRecord } from '../../protocol/output.ts';
import { textsIn } from '../../protocol/tool-result.ts';
import { toKodeletTool } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a hook put in a result's place, as it spelled it: the next hook is told the same, letter by letter. */
const asGiven = new WeakMap<Fields, Fields>();

/** A tool's result as Kodelet's structured result (seed 002, ADR 015). */
export function toKodeletOutput(ourToolName: string, response: Fields): Fields {
  const given = asGiven.get(response);
  if (given) return given;
  const { llmContent, error, metadata } = response;
  const toolName = toKodeletTool(ourToolName);
  return {
    toolName,
    success: error === undefined,
    ...(isRecord(error) && { error: textsIn(error['message']) }),
    metadataType: toolName,
    metadata: { ...(isRecord(metadata) && metadata), output: textsIn(llmContent) },
    timestamp: new Date().toISOString(),
  };
}

/** Kodelet's structured result in the form of `tool_response`. */
export function fromKodeletOutput(output: Fields): Fields {
  const { success, error, metadata } = output;
  const isError = success === false || (typeof error === 'string' && error !== '');
  const message = typeof error === 'string' && error !== '' ? error : 'The tool failed.';
  const said = isRecord(metadata) ? (metadata['output'] ?? metadata['content']) : undefined;
  // Whatever else a hook gives is for the model to read as it stands.
  const text = typeof said === 'string' ? said : isError ? '' : JSON.stringify(output);
  const told = isError ? [message, text].filter((part) => part !== '').join('\n') : text;
  const response = {
    llmContent: told,
    returnDisplay: told,
    ...(isRecord(metadata) && { metadata }),
    ...(isError && { error: { message } }),
  };
  asGiven.set(response, output);
  return response;
}
