import type { ModelPart } from '../../../core/translate/model.ts';
import { ModelError } from '../model-error.ts';
import type { FileData, FilePart, Specification } from './types.ts';

/** An image or another file of a message, if the part is one. */
export function toFile(
  { inlineData, fileData }: Pick<ModelPart, 'inlineData' | 'fileData'>,
  specification: Specification,
): FilePart | undefined {
  if (inlineData?.data !== undefined)
    return {
      type: 'file',
      mediaType: inlineData.mimeType ?? unknownType,
      data: wrapData(inlineData.data, specification),
    };
  if (fileData?.fileUri === undefined) return undefined;
  if (!URL.canParse(fileData.fileUri))
    throw new ModelError(`the file ${fileData.fileUri} is not a URL; give a complete one`);
  const url = new URL(fileData.fileUri);
  return {
    type: 'file',
    mediaType: fileData.mimeType ?? unknownType,
    data: specification === 'v4' ? { type: 'url', url } : url,
  };
}

export const unknownType = 'application/octet-stream';

const wrapData = (data: string, specification: Specification): FileData =>
  specification === 'v4' ? { type: 'data', data } : data;
