import { describe, expect, test } from 'vitest';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { relayBox } from '../support/relay.ts';

/*
 * What the published hosts give their hooks, as measured, with every field that an event was seen to have.
 */

type Samples = Readonly<Record<string, object>>;

const result = { llmContent: 'x', returnDisplay: { fileDiff: '-a\n+b', fileName: 'a' } };

const claudeBase = {
  session_id: 's1',
  transcript_path: '/t.jsonl',
  cwd: '/project',
  prompt_id: 'p1',
  permission_mode: 'default',
  agent_id: 'a1',
  agent_type: 'reviewer',
  effort: { level: 'high' },
};
const bash = { tool_name: 'Bash', tool_input: { command: 'ls', description: 'Lists' } };
const claude: Samples = {
  PreToolUse: { ...bash, tool_use_id: 't1', mcp_server: null },
  PermissionRequest: { ...bash, permission_suggestions: [] },
  PostToolUse: {
    ...bash,
    tool_use_id: 't1',
    tool_response: {
      stdout: 'a',
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    },
    duration_ms: 12,
  },
  PostToolUseFailure: {
    ...bash,
    tool_use_id: 't1',
    error: 'Exit code 1\nno',
    is_interrupt: false,
    duration_ms: 3,
  },
  PostToolBatch: { tool_calls: [{ ...bash, tool_use_id: 't1', tool_response: 'a' }] },
  UserPromptSubmit: { prompt: 'Hi', source: 'user', session_title: null },
  SessionStart: { source: 'startup', model: 'm', agent_type: 'x', session_title: null },
  SessionEnd: { reason: 'other' },
  Stop: {
    stop_hook_active: true,
    last_assistant_message: 'Done.',
    background_tasks: [],
    session_crons: [],
  },
  SubagentStart: { agent_id: 'a1', agent_type: 'reviewer' },
  SubagentStop: {
    agent_id: 'a1',
    agent_type: 'reviewer',
    agent_transcript_path: '/a.jsonl',
    stop_hook_active: false,
    last_assistant_message: 'Done.',
  },
  PreCompact: { trigger: 'manual', custom_instructions: null },
  PostCompact: { trigger: 'auto', compact_summary: 'x' },
  Notification: { message: 'May I?', title: null, notification_type: 'permission_prompt' },
};

const geminiBase = {
  session_id: 's1',
  transcript_path: '/t.json',
  cwd: '/project',
  timestamp: '2026-11-22T10:00:00.000Z',
};
const geminiCall = {
  tool_name: 'run_shell_command',
  tool_input: { command: 'ls' },
  mcp_context: { server_name: 's', tool_name: 't', command: 'x', args: [] },
  original_request_name: 'other',
};
const request = {
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }],
  config: { temperature: 1, topP: 0.95, topK: 64 },
};
const gemini: Samples = {
  BeforeTool: geminiCall,
  AfterTool: {
    ...geminiCall,
    tool_response: { ...result, error: { message: 'no', type: 'shell_execute_error' } },
  },
  BeforeAgent: { prompt: 'Hi' },
  AfterAgent: { prompt: 'Hi', prompt_response: 'Hello', stop_hook_active: true },
  BeforeModel: { llm_request: request },
  AfterModel: {
    llm_request: request,
    llm_response: {
      text: 'Hel',
      candidates: [{ content: { role: 'model', parts: ['Hel'] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    },
  },
  BeforeToolSelection: { llm_request: request },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'exit' },
  PreCompress: { trigger: 'auto' },
  Notification: {
    notification_type: 'ToolPermission',
    message: 'May I?',
    details: { type: 'edit', title: 'Edit', fileName: 'a', filePath: '/a', fileDiff: '' },
  },
};

const qwenBase = { ...geminiBase, permission_mode: 'yolo', prompt_id: 'p1', agent_id: 'a1' };
const qwenCall = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } };
const qwen: Samples = {
  PreToolUse: { ...qwenCall, tool_use_id: 'q1', tool_call_id: 'c1' },
  PermissionRequest: { ...qwenCall, permission_suggestions: [] },
  PostToolUse: {
    ...qwenCall,
    tool_use_id: 'q1',
    tool_call_id: 'c1',
    tool_response: result,
    duration_ms: 3,
  },
  PostToolUseFailure: { ...qwenCall, tool_use_id: 'q1', error: 'no', is_interrupt: true },
  PostToolBatch: {
    tool_calls: [{ ...qwenCall, tool_use_id: 'c1', status: 'success', tool_response: result }],
  },
  UserPromptSubmit: { prompt: '', submitted_prompt: 'Hi' },
  Stop: {
    stop_hook_active: false,
    last_assistant_message: 'Done.',
    background_tasks: [],
    crons: [],
    context_usage: 0.1,
    context_limit: 1_000,
    input_tokens: 100,
  },
  SessionStart: { source: 'startup', model: 'm' },
  SessionEnd: { reason: 'prompt_input_exit' },
  Notification: { message: 'Hi', notification_type: 'auth_success', title: 'Signed in' },
  MessageDisplay: { message_id: 'm1', displayed_text: 'Hi', is_final: true },
  InstructionsLoaded: { file_path: '/AGENTS.md', memory_type: 'project', load_reason: 'x' },
};

const codexBase = {
  session_id: 's1',
  transcript_path: null,
  cwd: '/project',
  turn_id: 'u1',
  model: 'm',
  permission_mode: 'bypassPermissions',
  agent_id: 'a1',
  agent_type: 'default',
};
const codex: Samples = {
  PreToolUse: { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' },
  PermissionRequest: { tool_name: 'Bash', tool_input: { command: 'ls', description: 'why' } },
  PostToolUse: {
    tool_name: 'mcp__memory__store',
    tool_input: { a: 1 },
    tool_use_id: 't1',
    tool_response: { content: [{ type: 'text', text: 'a' }] },
  },
  UserPromptSubmit: { prompt: 'Hi' },
  Stop: { stop_hook_active: true, last_assistant_message: null },
  SubagentStart: {},
  SubagentStop: {
    stop_hook_active: false,
    last_assistant_message: 'Done.',
    agent_transcript_path: null,
  },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'other' },
  PreCompact: { trigger: 'auto' },
  PostCompact: { trigger: 'manual' },
  Interrupt: {},
};

const camelBase = { sessionId: 's1', timestamp: 1_764_000_000_000, cwd: '/project' };
const camelCall = { toolName: 'bash', toolArgs: { command: 'ls', description: 'Lists' } };
const toolResult = { resultType: 'success', textResultForLlm: 'a' };
const copilotCamel: Samples = {
  preToolUse: camelCall,
  permissionRequest: {
    hookName: 'permissionRequest',
    toolName: 'bash',
    toolInput: { command: 'ls' },
    permissionSuggestions: [],
  },
  postToolUse: { ...camelCall, toolResult },
  postToolUseFailure: { ...camelCall, error: 'no' },
  userPromptSubmitted: { prompt: 'Hi' },
  agentStop: { transcriptPath: '/t', stopReason: 'end_turn', stop_hook_active: false },
  subagentStart: {
    transcriptPath: '/t',
    agentName: 'x',
    agentDisplayName: 'X',
    agentDescription: 'x',
  },
  subagentStop: {
    transcriptPath: '/t',
    agentId: 'a1',
    agentType: 'x',
    agentName: 'x',
    response: 'Done.',
    stopReason: 'end_turn',
  },
  sessionStart: { source: 'new', initialPrompt: 'Hi' },
  sessionEnd: { reason: 'complete' },
  preCompact: { transcriptPath: '/t', trigger: 'auto', customInstructions: '' },
  errorOccurred: {
    error: { message: 'no', name: 'Error', stack: 'x' },
    errorContext: 'system',
    recoverable: true,
  },
  notification: { message: 'Hi', title: 'x', notification_type: 'permission_prompt' },
};
const pascalBase = { session_id: 's1', timestamp: '2026-11-22T10:00:00.000Z', cwd: '/project' };
const pascalCall = { tool_name: 'Bash', tool_input: { command: 'ls' } };
const copilotPascal: Samples = {
  PreToolUse: pascalCall,
  PostToolUse: {
    ...pascalCall,
    tool_result: { result_type: 'success', text_result_for_llm: 'a' },
  },
  UserPromptSubmit: { prompt: 'Hi' },
  Stop: { transcript_path: '/t', stop_reason: 'end_turn', stop_hook_active: false },
};

const cursorBase = {
  conversation_id: 'c1',
  generation_id: 'g1',
  model: 'm',
  session_id: 's1',
  cursor_version: '3.1',
  workspace_roots: ['/project'],
  user_email: null,
  transcript_path: null,
};
const shell = { tool_name: 'Shell', tool_input: { command: 'ls', working_directory: '/project' } };
const cursor: Samples = {
  preToolUse: { ...shell, tool_use_id: 't1\nx', cwd: '/project' },
  beforeShellExecution: { command: 'ls', cwd: '/project', sandbox: false },
  beforeMCPExecution: { tool_name: 't', tool_input: '{"a":1}', url: 'http://x', command: 'x' },
  beforeReadFile: { file_path: '/a', content: 'x', attachments: [] },
  postToolUse: {
    ...shell,
    tool_use_id: 't1',
    tool_output: '{"output":"a","exitCode":0}',
    duration: 3,
    cwd: '/project',
  },
  postToolUseFailure: {
    ...shell,
    tool_use_id: 't1',
    cwd: '/project',
    error_message: 'no',
    failure_type: 'error',
    duration: 3,
    is_interrupt: false,
  },
  afterShellExecution: { command: 'ls', output: 'a', duration: 3, sandbox: false },
  afterMCPExecution: { tool_name: 't', tool_input: '{}', result_json: '{}', duration: 3 },
  afterFileEdit: { file_path: '/a', edits: [{ old_string: 'a', new_string: 'b' }] },
  beforeSubmitPrompt: { prompt: 'Hi', attachments: [], composer_mode: 'agent' },
  stop: { status: 'completed', loop_count: 1 },
  subagentStart: { subagent_id: 'a1', subagent_type: 'x', task: 'Do it' },
  subagentStop: { subagent_type: 'x', status: 'completed', summary: 'Done.', loop_count: 0 },
  sessionStart: { is_background_agent: false, composer_mode: 'agent' },
  sessionEnd: { reason: 'completed', duration_ms: 3, final_status: 'completed' },
  preCompact: { trigger: 'auto' },
};

const hosts = [
  ['claude-code', claudeBase, claude],
  ['gemini-cli', geminiBase, gemini],
  ['qwen-code', qwenBase, qwen],
  ['codex', codexBase, codex],
  ['copilot', camelBase, copilotCamel],
  ['copilot', pascalBase, copilotPascal],
  ['cursor', cursorBase, cursor],
] as const;

const all = hosts.flatMap(([host, base, samples]) =>
  Object.entries(samples).map(([event, own]) => {
    const named = host === 'copilot' && event[0] !== event[0]!.toUpperCase();
    return [host, event, { ...base, ...(!named && { hook_event_name: event }), ...own }] as const;
  }),
);

describe('what a host gives its hooks', () => {
  test.each(all)('%s gives at %s is read without a fault', async (host, event, given) => {
    const dialect = knownDialects.find(({ name }) => name === host)!;
    expect(await dialect.readCall(event, given)).not.toHaveProperty('faults');
  });

  test.each(hosts)(
    '%s gives at any event is accepted by its relay',
    async (host, base, samples) => {
      const box = relayBox();
      for (const event of Object.keys(samples)) {
        const given = { ...base, hook_event_name: event, ...samples[event] };
        const { exitCode, stderr } = await box.relay(host, given, { event });
        expect([event, exitCode, stderr]).toEqual([event, 0, '']);
      }
    },
  );

  test.each([
    ['preToolUse', { toolName: 'bash', toolArgs: { command: 'ls' }, toolInput: 'x' }],
    ['preToolUse', { toolInput: { command: 'no' }, toolName: 'bash', toolArgs: { command: 'ls' } }],
    ['preToolUse', { toolName: 'bash', toolArgs: '{"command":"ls"}', tool_name: 'Write' }],
    ['PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' }, toolArgs: null }],
    ['permissionRequest', { toolName: 'bash', toolInput: { command: 'ls' }, toolArgs: {} }],
    ['PermissionRequest', { toolName: 'bash', toolInput: { command: 'ls' }, tool_input: 5 }],
  ])('Copilot gives at %s in two forms is read in the event’s own', async (event, given) => {
    const dialect = knownDialects.find(({ name }) => name === 'copilot')!;
    expect(await dialect.readCall(event, given)).toMatchObject({
      fields: { tool_name: 'run_shell_command', tool_input: { command: 'ls' } },
    });
  });
});
