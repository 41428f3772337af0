import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import type { ModelFormat } from './format.ts';
import { gemini } from './gemini.ts';
import { responses } from './responses.ts';

/** Every format of model calls that is spoken here. */
export const formats: readonly ModelFormat[] = [anthropic, responses, chat, gemini];

/** The format of a request to this address; undefined if it asks for no model call. */
export function formatOf(method: string | undefined, url: string): ModelFormat | undefined {
  const [path = ''] = url.split('?');
  return method === 'POST' ? formats.find((format) => format.path.test(path)) : undefined;
}
