import { isRecord } from '../../base/json.ts';
import { currentFolder } from '../../base/surroundings.ts';
import { effectsOf } from '../reading/call-effects.ts';
import { readToolCall } from '../reading/tool-call.ts';

/** The part of an event that is read. */
export interface FlowEvent {
  readonly session_id?: unknown;
  readonly cwd?: unknown;
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly tool_response?: unknown;
  readonly error?: unknown;
  readonly prompt?: unknown;
  /** Labels that an embedder gives to what its tool has read. */
  readonly labels?: unknown;
}

export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const sessionOf = ({ session_id: session }: FlowEvent): string => stringOf(session);

const folderOf = ({ cwd }: FlowEvent): string => stringOf(cwd) || currentFolder();

/** Returns a call, and what it would do. */
export function callOf(event: FlowEvent) {
  const tool = stringOf(event.tool_name);
  const input = isRecord(event.tool_input) ? event.tool_input : {};
  const cwd = folderOf(event);
  return { tool, input, cwd, effects: effectsOf(readToolCall(tool, input), { cwd }) };
}
