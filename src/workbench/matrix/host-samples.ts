type Fields = Readonly<Record<string, unknown>>;

const called = (tool_name: string): Fields => ({
  tool_name,
  tool_input: { command: 'rm -rf /' },
  tool_use_id: 'call-1',
});
const expansion: Fields = {
  command_name: 'deploy',
  command_args: 'production',
  prompt: 'Deploy to production.',
};
const task: Fields = { task_id: '1', task_subject: 'Delete everything', teammate_name: 'reviewer' };
const model: Fields = {
  from_model: 'small',
  to_model: 'large',
  requested_model: 'large',
  source: 'user',
  context_tokens: 1000,
  prompt_cache_warm: true,
};
const todo: Fields = {
  todo_id: '1',
  todo_content: 'Delete everything',
  all_todos: [{ id: '1', content: 'Delete everything', status: 'pending' }],
  phase: 'validation',
};
const instructions: Fields = {
  file_path: '/project/AGENTS.md',
  memory_type: 'project',
  load_reason: 'session_start',
};
const edited: Fields = {
  file_path: '/project/a.txt',
  edits: [{ old_string: 'one', new_string: 'two' }],
};

const goosed: Fields = {
  matcher_context: 'developer__shell',
  tool_name: 'developer__shell',
  tool_input: { command: 'ls' },
  tool_call_id: 'call-1',
};

/** By family of dialects: fields of the events that only its host has, as that host spells them. */
const samples: Readonly<Record<string, Readonly<Record<string, Fields>>>> = {
  'claude-code': {
    'host.PermissionDenied': { ...called('Bash'), reason: 'It deletes everything.' },
    'host.PostToolBatch': { tool_calls: [{ ...called('Bash'), tool_response: 'done' }] },
    'host.UserPromptExpansion': { expansion_type: 'slash_command', ...expansion },
    'host.Setup': { trigger: 'init' },
    'host.StopFailure': { error: 'rate_limit', error_details: 'Try again later.' },
    'host.PreModelSwitch': model,
    'host.PostModelSwitch': model,
    'host.TeammateIdle': { teammate_name: 'reviewer', team_name: 'team' },
    'host.TaskCreated': task,
    'host.TaskCompleted': task,
    'host.Elicitation': { mcp_server_name: 'memory', message: 'Which key?', mode: 'form' },
    'host.ElicitationResult': {
      mcp_server_name: 'memory',
      action: 'accept',
      content: { key: 'all' },
    },
    'host.ConfigChange': { source: 'project_settings', file_path: '.claude/settings.json' },
    'host.InstructionsLoaded': { ...instructions, memory_type: 'Project' },
    'host.CwdChanged': { old_cwd: '/project', new_cwd: '/project/packages' },
    'host.FileChanged': { file_path: '/project/.env', event: 'change' },
    'host.DirectoryAdded': { directory: '/elsewhere', source: 'add_dir' },
    'host.WorktreeCreate': { name: 'feature' },
    'host.WorktreeRemove': { worktree_path: '/project/.claude/worktrees/feature' },
    'host.MessageDisplay': {
      turn_id: 'turn-1',
      message_id: 'message-1',
      index: 0,
      final: true,
      delta: 'Hello.\n',
    },
  },
  'qwen-code': {
    'host.PermissionDenied': { ...called('run_shell_command'), reason: 'classifier_blocked' },
    'host.PostToolBatch': {
      tool_calls: [
        {
          ...called('run_shell_command'),
          status: 'success',
          tool_response: { result_display: 'done' },
        },
      ],
    },
    'host.UserPromptExpansion': expansion,
    'host.StopFailure': { error: 'rate_limit', error_details: 'Try again later.' },
    'host.TodoCreated': { ...todo, todo_status: 'pending' },
    'host.TodoCompleted': { ...todo, previous_status: 'in_progress' },
    'host.MessageDisplay': {
      message_id: 'message-1',
      displayed_text: 'Hello.',
      is_final: true,
    },
    'host.InstructionsLoaded': instructions,
    'host.SessionDelete': { deleted_session_id: 'session-1' },
  },
  codex: { 'host.Interrupt': {} },
  copilot: {
    'host.userPromptTransformed': {
      prompt: '/deploy',
      transformedPrompt: 'Deploy to production.',
    },
    'host.errorOccurred': {
      error: { message: 'Try again later.', name: 'RateLimitError' },
      errorContext: 'model_call',
      recoverable: true,
    },
  },
  cursor: {
    'host.afterAgentResponse': { text: 'Hello.' },
    'host.afterAgentThought': { text: 'I should say hello.', duration_ms: 1200 },
    'host.beforeTabFileRead': { file_path: '/project/.env', content: 'KEY=1' },
    'host.afterTabFileEdit': edited,
    'host.workspaceOpen': {},
  },
  kimi: {
    'host.PermissionRequest': { tool_name: 'Bash', action: 'run', tool_input: { command: 'ls' } },
    'host.PermissionResult': { tool_name: 'Bash', decision: 'approved' },
    'host.StopFailure': { error_type: 'RateLimitError', error_message: 'Try again later.' },
    'host.Interrupt': { turn_id: 1, reason: 'cancelled' },
  },
  cline: {
    'host.TaskResume': { taskResume: { taskMetadata: {}, previousState: {} } },
    'host.TaskComplete': { taskComplete: { taskMetadata: {} } },
    'host.TaskCancel': { taskCancel: { taskMetadata: {} } },
    'host.TaskError': { error: { message: 'Try again later.' } },
  },
  goose: {
    'host.PreToolUseResult': { ...goosed, decision: 'deny', policy_evaluated: true },
    'host.BeforeReadFile': { matcher_context: '/project/.env' },
    'host.AfterFileEdit': { matcher_context: '/project/a.txt' },
    'host.BeforeShellExecution': { matcher_context: 'ls' },
    'host.AfterShellExecution': { matcher_context: 'ls' },
  },
  antigravity: {
    'host.PreInvocation': { invocationNum: 1, initialNumSteps: 3 },
    'host.PostInvocation': { invocationNum: 1, initialNumSteps: 3 },
  },
  kodelet: { 'host.turn_end': { response: 'Done.', turn_number: 1 } },
};

/** The fields to try a hook with, for an event that only the host of this family has. */
export const hostSample = (family: string, event: string): Fields | undefined =>
  samples[family]?.[event];
