import { qwenCodeWith } from '../../src/hosts/qwen-code/index.ts';
import type { QwenEventName } from '../../src/hosts/qwen-code/events.ts';
import { hostBox, type HostBox } from './host-box.ts';

/** A sandbox for Qwen Code's hooks, for the running test. */
export const qwenBox = (): HostBox =>
  hostBox('.qwen', 'qwen-code', (system) => qwenCodeWith({ system }));

const call = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } };

/** Our fields for some of Qwen Code's events. */
export const qwenFields = {
  PreToolUse: call,
  PermissionRequest: call,
  PostToolUse: { ...call, tool_response: { llmContent: 'a.txt', returnDisplay: 'a.txt' } },
  PostToolUseFailure: {
    ...call,
    error: 'no',
    tool_response: { llmContent: 'no', returnDisplay: 'no', error: { message: 'no' } },
  },
  UserPromptSubmit: { prompt: 'Hi' },
  Stop: { prompt: 'Hi', prompt_response: 'Hello', stop_hook_active: false },
  SubagentStart: { agent_id: 'a', agent_type: 'Explore' },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'exit' },
  PreCompact: { trigger: 'auto' },
  Notification: { notification_type: 'ToolPermission', message: 'May I?', details: {} },
  PostToolBatch: { tool_calls: [] },
  MessageDisplay: { message_id: 'm', displayed_text: 'Hello', is_final: true },
} as const satisfies Readonly<Partial<Record<QwenEventName, object>>>;

export type TestedEvent = keyof typeof qwenFields;
