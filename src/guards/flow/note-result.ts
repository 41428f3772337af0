import { callOf, sessionOf, stringOf, type FlowEvent } from './flow-event.ts';
import { note } from './labels.ts';
import { namesIn } from './names.ts';
import { originsOf, textOf } from './what-was-read.ts';

/** Notes what a tool call has read. */
export function noteResult(event: FlowEvent): undefined {
  const { tool, input, effects } = callOf(event);
  const text = `${textOf(event.tool_response)}\n${stringOf(event.error)}`;
  const origins = originsOf({ tool, input, text, effects }, new Date().toISOString(), event.labels);
  note(sessionOf(event), { origins, read: namesIn(text) });
}
