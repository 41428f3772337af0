import { isRecord } from '../../src/base/json.ts';

/** The results of tool calls in a request to a model, by call id, for any provider. */
export function toolResultsIn(request: string): ReadonlyMap<string, string> {
  // OpenClaw leaves out what some providers do not accept in an id.
  return new Map(
    resultsIn(JSON.parse(request)).map(([id, text]) => [id.replace(/^call_?/, 'call_'), text]),
  );
}

function resultsIn(value: unknown): (readonly [id: string, text: string])[] {
  if (Array.isArray(value)) return value.flatMap(resultsIn);
  if (!isRecord(value)) return [];
  const { type, role, content, output, functionResponse } = value;
  const { tool_use_id, tool_call_id, call_id } = value;
  if (type === 'tool_result') return [[String(tool_use_id), textOf(content)]];
  if (role === 'tool') return [[String(tool_call_id), textOf(content)]];
  if (type === 'function_call_output') return [[String(call_id), textOf(output)]];
  if (isRecord(functionResponse))
    return [[String(functionResponse['id']), textOf(functionResponse['response'])]];
  return Object.values(value).flatMap(resultsIn);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (!isRecord(value)) return '';
  return textOf(value['text'] ?? value['error'] ?? value['output']);
}
