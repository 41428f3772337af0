import type { GenAIFunctionResponse } from '../../../core/translate/genai-types.ts';
import { isRecord } from '../../../base/json.ts';
import type { ModelPart } from '../../../core/translate/model.ts';
import { unknownType } from './files.ts';
import type { Specification, ToolOutput } from './types.ts';

/**
 * The result of a call as the model reads it. Google's keys `output` and `error` are dropped if they stand
 * alone.
 */
export function toOutput(
  { response = {}, ...rest }: GenAIFunctionResponse,
  specification: Specification,
): ToolOutput {
  const files = filesOf(rest);
  const said = saidIn(response);
  if (files.length === 0) return said;
  const text = typeof said.value === 'string' ? said.value : JSON.stringify(said.value);
  return {
    type: 'content',
    value: [{ type: 'text', text }, ...files.map((file) => toItem(file, specification))],
  };
}

type SaidOutput = Exclude<ToolOutput, { type: 'content' }>;

function saidIn(response: Readonly<Record<string, unknown>>): SaidOutput {
  const [[key, value] = [], second] = Object.entries(response);
  if (second === undefined && typeof value === 'string') {
    if (key === 'output') return { type: 'text', value };
    if (key === 'error') return { type: 'error-text', value };
  }
  return { type: 'json', value: response };
}

type File = NonNullable<ModelPart['inlineData']>;

/** The files in a result, from the field that Google uses for them. */
function filesOf(response: object): File[] {
  const parts: unknown = 'parts' in response ? response.parts : undefined;
  return (Array.isArray(parts) ? parts : []).flatMap((part: unknown) =>
    isRecord(part) && isRecord(part['inlineData']) ? [part['inlineData'] as File] : [],
  );
}

function toItem({ data = '', mimeType = unknownType }: File, specification: Specification): object {
  switch (specification) {
    case 'v2':
      return { type: 'media', data, mediaType: mimeType };
    case 'v3':
      return {
        type: mimeType.startsWith('image/') ? 'image-data' : 'file-data',
        data,
        mediaType: mimeType,
      };
    case 'v4':
      return { type: 'file', data: { type: 'data', data }, mediaType: mimeType };
  }
}
