import { dirname } from 'node:path';
import type { HookPayload } from '../../../machines/hook-event.ts';
import { defined, isRecord } from '../../base/json.ts';
import type { HookInput } from '../../core/protocol/input.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import { copilotEventOf, type CopilotEvent } from './events.ts';
import { toCopilotInput, toCopilotResult, toCopilotTool, toPascalTool } from './tools.ts';
import { toCopilotWord } from './words.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns what a hook receives, in the form that the name of its event asks for (as measured on the
 * host).
 */
export function toStdin(hook: HookDefinition, payload: HookPayload, context: EventContext): object {
  const event = copilotEventOf(hook);
  const { session_id, cwd, timestamp } = payload;
  const own = ownFields(event, payload, context);
  const isCamelAlways = event.point === 'permissionRequest' || event.point === 'notification';
  if (event.isPascal && !isCamelAlways)
    return { hook_event_name: event.name, session_id, timestamp, cwd, ...inSnakeCase(own) };
  return {
    ...(event.point === 'permissionRequest' && { hookName: 'permissionRequest' }),
    sessionId: session_id,
    timestamp: Date.parse(String(timestamp)),
    cwd,
    ...(event.point === 'notification' && { hook_event_name: 'Notification' }),
    ...own,
  };
}

/** Returns a hook's environment variables (as measured on the host). */
export const environmentOf = (
  { file }: Pick<HookDefinition, 'file'>,
  { cwd }: Pick<HookInput, 'cwd'>,
): Readonly<Record<string, string>> => ({
  COPILOT_CLI: '1',
  COPILOT_PROJECT_DIR: cwd,
  CLAUDE_PROJECT_DIR: cwd,
  ...(file !== undefined && { COPILOT_HOOK_DIR: dirname(file) }),
});

/** The fields of every event, and those that only we have. */
const base: ReadonlySet<string> = new Set([
  'session_id',
  'transcript_path',
  'cwd',
  'timestamp',
  'hook_event_name',
]);

/**
 * Returns an event's own fields in camel case; fields of the agent that we do not know are passed on
 * unchanged.
 */
function ownFields(event: CopilotEvent, payload: HookPayload, context: EventContext): Fields {
  const given: Fields = Object.fromEntries(
    Object.entries(payload).filter(([name]) => !base.has(name)),
  );
  const transcriptPath = context.transcriptPath ?? payload['transcript_path'];
  switch (event.point) {
    case 'preToolUse':
    case 'permissionRequest':
    case 'postToolUse':
    case 'postToolUseFailure':
      return fieldsOfCall(event, given);
    case 'agentStop': {
      const { prompt: _, prompt_response: __, stop_hook_active, ...others } = given;
      const stopReason = others['stopReason'] ?? 'end_turn';
      return { ...others, transcriptPath, stopReason, stop_hook_active };
    }
    case 'subagentStart': {
      const { agent_id: _, agent_type: agentName, ...others } = given;
      return { ...others, transcriptPath, agentName };
    }
    case 'subagentStop': {
      const {
        agent_id,
        agent_type,
        last_assistant_message,
        stop_hook_active: _,
        ...others
      } = given;
      const stopReason = others['stopReason'] ?? 'end_turn';
      return defined({
        ...others,
        transcriptPath,
        agentId: agent_id,
        agentType: agent_type,
        agentName: others['agentName'] ?? agent_type,
        response: last_assistant_message,
        stopReason,
      });
    }
    case 'preCompact': {
      const { trigger, ...others } = given;
      const customInstructions = others['customInstructions'] ?? '';
      return { ...others, transcriptPath, trigger, customInstructions };
    }
    case 'notification': {
      const { details: _, notification_type, ...others } = given;
      return { ...others, notification_type: toCopilotWord('notification', notification_type) };
    }
    case 'sessionStart':
      return { ...given, source: toCopilotWord('sessionStart', given['source']) };
    case 'sessionEnd':
      return { ...given, reason: toCopilotWord('sessionEnd', given['reason']) };
    default:
      return given;
  }
}

/** Returns the own fields of an event about a tool call. */
function fieldsOfCall(event: CopilotEvent, given: Fields): Fields {
  const {
    tool_name,
    tool_input,
    tool_response: response,
    error,
    is_interrupt: _,
    ...others
  } = given;
  const tool = String(tool_name);
  const input = toCopilotInput(tool, isRecord(tool_input) ? tool_input : {});
  if (event.point === 'permissionRequest')
    return { ...others, ...requestOf(toCopilotTool(tool), input), permissionSuggestions: [] };
  return {
    ...others,
    toolName: event.isPascal ? toPascalTool(tool) : toCopilotTool(tool),
    toolArgs: input,
    ...(event.point === 'postToolUse' && { toolResult: toCopilotResult(response) }),
    ...(event.point === 'postToolUseFailure' && { error: error ?? failureIn(response) }),
  };
}

/** Returns a call as a request for permission reports it: writing a file counts as editing it. */
function requestOf(toolName: string, toolInput: Fields): Fields {
  if (toolName === 'bash') return { toolName, toolInput: { command: toolInput['command'] } };
  if (toolName !== 'create' && toolName !== 'edit') return { toolName, toolInput };
  const { path: file_path, ...others } = toolInput;
  return { toolName: 'edit', toolInput: { file_path, ...others } };
}

/** Describes how a tool failed. */
function failureIn(response: unknown): string {
  const { llmContent, error } = isRecord(response) ? response : ({} as Fields);
  const message = isRecord(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : textsIn(llmContent);
}

/** Fields whose names differ in Pascal case by more than their spelling. */
const otherNames: Readonly<Record<string, string>> = {
  toolArgs: 'tool_input',
  response: 'last_assistant_message',
};

/** Returns the fields as hooks in Pascal case receive them. */
const inSnakeCase = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      otherNames[name] ?? snake(name),
      name === 'toolResult' && isRecord(value) ? inSnakeCase(value) : value,
    ]),
  );

/** Turns `toolName` into `tool_name`. */
const snake = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
