import { geminiCliWith } from '../../src/hosts/gemini-cli/index.ts';
import type { HookEventName } from '../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../src/core/protocol/input.ts';
import { hostBox, type HostBox } from './host-box.ts';

/** A sandbox for Gemini CLI's hooks, for the running test. */
export const geminiBox = (): HostBox =>
  hostBox('.gemini', 'gemini-cli', (system) => geminiCliWith({ system }));

const request = { model: 'gemini-pro', messages: [{ role: 'user', content: 'Hi' }] } as const;

/** Fields of each event. */
export const geminiFields = {
  BeforeTool: { tool_name: 'run_shell_command', tool_input: { command: 'ls' } },
  AfterTool: {
    tool_name: 'run_shell_command',
    tool_input: { command: 'ls' },
    tool_response: { llmContent: 'a.txt', returnDisplay: 'a.txt' },
  },
  BeforeAgent: { prompt: 'Hi' },
  AfterAgent: { prompt: 'Hi', prompt_response: 'Hello', stop_hook_active: false },
  BeforeModel: { llm_request: request },
  AfterModel: {
    llm_request: request,
    llm_response: {
      text: 'Hello',
      candidates: [{ content: { role: 'model', parts: ['Hello'] }, finishReason: 'STOP' }],
    },
  },
  BeforeToolSelection: { llm_request: request },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'exit' },
  PreCompress: { trigger: 'auto' },
  Notification: { notification_type: 'ToolPermission', message: 'May I?', details: {} },
} as unknown as { readonly [Event in HookEventName]: HookEventFields[Event] };
