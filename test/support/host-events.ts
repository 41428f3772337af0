type Fields = Readonly<Record<string, unknown>>;

/** An event of a host that a relay must deny if it cannot judge it. */
export interface GuardedEvent {
  readonly host: string;
  readonly event: string;
  /** The command line names the event, because the input does not. */
  readonly isNamed?: true;
  readonly given: Fields;
  /** The field with a tool's arguments, or a prompt. */
  readonly field: string;
  /** What this host takes for a denial (hosts-measured-*.md), with exit status 0. */
  readonly denial: (reason: unknown) => object;
}

const run = { command: 'ls' };
const claudeTool = { session_id: 's', tool_name: 'Bash', tool_input: run };
const permission = (reason: unknown) => ({
  hookSpecificOutput: {
    hookEventName: 'PermissionRequest',
    decision: { behavior: 'deny', message: reason },
  },
});
const beforeTool = (reason: unknown) => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: reason,
  },
});
const block = (reason: unknown) => ({ decision: 'block', reason });
const deny = (reason: unknown) => ({ decision: 'deny', reason });
const cursorDenial = (reason: unknown) => ({
  permission: 'deny',
  user_message: reason,
  agent_message: reason,
});

const said = (
  host: string,
  event: string,
  given: Fields,
  field: string,
  denial: GuardedEvent['denial'],
  key = 'hook_event_name',
): GuardedEvent => ({ host, event, given: { [key]: event, ...given }, field, denial });
const named = (
  host: string,
  event: string,
  given: Fields,
  field: string,
  denial: GuardedEvent['denial'],
): GuardedEvent => ({ host, event, isNamed: true, given, field, denial });

const nested = (event: string) => (reason: unknown) => ({
  hookSpecificOutput: {
    hookEventName: event,
    permissionDecision: 'deny',
    permissionDecisionReason: reason,
    message: reason,
  },
});

/** One line for each form that a host's denial has. */
export const guardedEvents: readonly GuardedEvent[] = [
  said('claude-code', 'PreToolUse', claudeTool, 'tool_input', beforeTool),
  said('claude-code', 'PermissionRequest', claudeTool, 'tool_input', permission),
  said('claude-code', 'UserPromptSubmit', { session_id: 's', prompt: 'hi' }, 'prompt', block),
  said('codex', 'PreToolUse', claudeTool, 'tool_input', beforeTool),
  said('codex', 'PermissionRequest', claudeTool, 'tool_input', permission),
  said('codex', 'UserPromptSubmit', { session_id: 's', prompt: 'hi' }, 'prompt', block),
  said('gemini-cli', 'BeforeTool', { tool_name: 'run_shell_command', tool_input: run }, 'tool_input', deny), // prettier-ignore
  said('gemini-cli', 'BeforeAgent', { prompt: 'hi' }, 'prompt', deny),
  said('gemini-cli', 'BeforeModel', { llm_request: { model: 'm', messages: [] } }, 'llm_request', deny), // prettier-ignore
  said(
    'qwen-code',
    'PreToolUse',
    { tool_name: 'run_shell_command', tool_input: run },
    'tool_input',
    (reason) => ({ ...deny(reason), ...beforeTool(reason) }),
  ),
  said('qwen-code', 'PermissionRequest', claudeTool, 'tool_input', permission),
  said('qwen-code', 'UserPromptSubmit', { prompt: 'hi' }, 'prompt', block),
  said('cursor', 'preToolUse', { tool_name: 'Shell', tool_input: run }, 'tool_input', cursorDenial),
  said('cursor', 'beforeShellExecution', { command: 'ls' }, 'command', cursorDenial),
  said('cursor', 'beforeReadFile', { file_path: '/a' }, 'file_path', cursorDenial),
  said('cursor', 'beforeSubmitPrompt', { prompt: 'hi' }, 'prompt', (reason) => ({
    continue: false,
    user_message: reason,
  })),
  named('copilot', 'preToolUse', { toolName: 'bash', toolArgs: run }, 'toolArgs', (reason) => ({
    permissionDecision: 'deny',
    permissionDecisionReason: reason,
  })),
  named('copilot', 'permissionRequest', { toolName: 'bash', toolArgs: run }, 'toolArgs', (reason) => ({ behavior: 'deny', message: reason })), // prettier-ignore
  named('copilot', 'userPromptSubmitted', { prompt: 'hi' }, 'prompt', block),
  named('opencode', 'tool.execute.before', { tool: 'bash', args: run }, 'args', (reason) => ({ deny: reason })), // prettier-ignore
  named('opencode', 'chat.message', { prompt: 'hi' }, 'prompt', (reason) => ({ deny: reason })),
  named('kilo', 'tool.execute.before', { tool: 'bash', args: run }, 'args', (reason) => ({ deny: reason })), // prettier-ignore
  named('kilo', 'chat.message', { prompt: 'hi' }, 'prompt', (reason) => ({ deny: reason })),
  said('kodelet', 'before_tool_call', { tool_name: 'bash', tool_input: run }, 'tool_input', (reason) => ({ blocked: true, reason }), 'event'), // prettier-ignore
  said('kodelet', 'user_message_send', { message: 'hi' }, 'message', (reason) => ({ blocked: true, reason }), 'event'), // prettier-ignore
  said('factory', 'PreToolUse', { ...claudeTool, tool_name: 'Execute' }, 'tool_input', beforeTool),
  said('factory', 'UserPromptSubmit', { session_id: 's', prompt: 'hi' }, 'prompt', block),
  said('kimi', 'PreToolUse', claudeTool, 'tool_input', nested('PreToolUse')),
  said('kimi', 'UserPromptSubmit', { prompt: [{ type: 'text', text: 'hi' }] }, 'prompt', nested('UserPromptSubmit')), // prettier-ignore
  said('crush', 'PreToolUse', { tool_name: 'bash', tool_input: run }, 'tool_input', deny, 'event'),
  said('goose', 'PreToolUse', { tool_name: 'developer__shell', tool_input: run }, 'tool_input', block, 'event'), // prettier-ignore
  said('openhands', 'PreToolUse', { tool_name: 'terminal', tool_input: run }, 'tool_input', deny, 'event_type'), // prettier-ignore
  said('openhands', 'UserPromptSubmit', { message: 'hi' }, 'message', deny, 'event_type'),
  named('pi', 'tool_call', { tool_name: 'bash', tool_input: run }, 'tool_input', (reason) => ({ deny: reason })), // prettier-ignore
  named('pi', 'input', { prompt: 'hi' }, 'prompt', (reason) => ({ deny: reason })),
  named('pi', 'context_with_system', { llm_request: { model: 'm', messages: [] } }, 'llm_request', (reason) => ({ deny: reason })), // prettier-ignore
  named('cline', 'PreToolUse', { tool_call: { id: 'c', name: 'use_mcp_tool', input: run } }, 'tool_call', (reason) => ({ cancel: true, errorMessage: reason })), // prettier-ignore
  named('cline', 'UserPromptSubmit', { userPromptSubmit: { prompt: 'hi' } }, 'userPromptSubmit', (reason) => ({ cancel: true, errorMessage: reason })), // prettier-ignore
  named('openclaw', 'before_tool_call', { tool_name: 'exec', tool_input: run }, 'tool_input', (reason) => ({ deny: reason })), // prettier-ignore
  named('openclaw', 'before_agent_run', { prompt: 'hi' }, 'prompt', (reason) => ({ deny: reason })),
  named('antigravity', 'PreToolUse', { toolCall: { name: 'run_command', args: { CommandLine: 'ls' } } }, 'toolCall', deny), // prettier-ignore
];

/** Events at which a host lets no hook deny anything. */
export const undeniable: ReadonlySet<string> = new Set(['goose UserPromptSubmit']);
