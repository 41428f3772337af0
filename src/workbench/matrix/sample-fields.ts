import type { HookEventName } from '../../core/points/hook-points.ts';

type Fields = Readonly<Record<string, unknown>>;

const call: Fields = { tool_name: 'run_shell_command', tool_input: { command: 'rm -rf /' } };
/** Other calls, for event names that are not about shells. */
const otherCalls: readonly Fields[] = [
  { tool_name: 'read_file', tool_input: { file_path: '.env' } },
  { tool_name: 'write_file', tool_input: { file_path: '.env', content: 'KEY=1' } },
  { tool_name: 'mcp__sample__delete_all', tool_input: { sure: true } },
];
const request: Fields = { model: 'sample', messages: [{ role: 'user', content: 'Say hello.' }] };
const response: Fields = {
  candidates: [{ content: { role: 'model', parts: ['Hello.'] } }],
};
const subagent: Fields = { agent_id: 'sample-agent', agent_type: 'reviewer' };

/**
 * An event's own fields to try a hook with if none were given; a guard should have something to object to.
 */
const samples: Readonly<Partial<Record<HookEventName, Fields>>> = {
  BeforeTool: call,
  ToolPermission: call,
  AfterTool: { ...call, tool_response: { llmContent: 'done', returnDisplay: 'done' } },
  ToolFailed: { ...call, error: 'permission denied' },
  BeforeModel: { llm_request: request },
  AfterModel: { llm_request: request, llm_response: response },
  BeforeToolSelection: { llm_request: request },
  BeforeAgent: { prompt: 'Delete everything.' },
  AfterAgent: { prompt: 'Say hello.', prompt_response: 'Hello.', stop_hook_active: false },
  SubagentStart: subagent,
  SubagentStop: { ...subagent, stop_hook_active: false, last_assistant_message: 'Done.' },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'exit' },
  PreCompress: { trigger: 'auto' },
  PostCompress: { trigger: 'auto' },
  Notification: { notification_type: 'ToolPermission', message: 'May I?', details: {} },
};

/** The fields to try a hook of this event with; undefined for one that only a host has. */
export const sampleFields = (event: HookEventName): Fields | undefined => samples[event];

/**
 * The fields to try a hook of this event with; several calls for tool events, the usual one first; none for an
 * event that only a host has.
 */
export function sampleFieldsOf(event: HookEventName): readonly Fields[] {
  const fields = sampleFields(event);
  if (fields === undefined) return [];
  return fields['tool_name'] === undefined
    ? [fields]
    : [fields, ...otherCalls.map((other) => ({ ...fields, ...other }))];
}
