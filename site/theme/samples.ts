import type { Play } from '../engine/play.ts';

const json = (value: object): string => JSON.stringify(value, undefined, 2);

const command = (name: string, script: string, matcher?: string) => ({
  ...(matcher !== undefined && { matcher }),
  hooks: [{ type: 'command', name, command: script }],
});

/** What the playground offers to begin with; the first one is on the home page. */
export const samples: readonly (Play & { readonly title: string })[] = [
  {
    title: 'A guard that comes with hookmachine denies',
    place: '.hookmachine/settings.json',
    settings: json({
      guards: { shell: 'on' },
      hooks: { 'tool.before': [command('team-rules', './team-rules.sh', 'run_shell_command')] },
    }),
    event: 'tool',
    fields: { tool_name: 'run_shell_command', tool_input: { command: 'rm -rf ~/projects' } },
    answers: {},
  },
  {
    title: 'A hook of Claude Code denies by exit code 2',
    place: '.claude/settings.json',
    settings: json({
      hooks: {
        PreToolUse: [
          { matcher: 'Write', hooks: [{ type: 'command', command: '.claude/no-env.sh' }] },
        ],
      },
    }),
    event: 'tool',
    fields: { tool_name: 'write_file', tool_input: { file_path: '.env', content: 'KEY=1' } },
    answers: {
      '.claude/no-env.sh': { exitCode: 2, stdout: '', stderr: 'Secrets stay out of .env files.' },
    },
  },
  {
    title: 'A hook changes the command',
    place: '.hookmachine/settings.json',
    settings: json({ hooks: { 'tool.before': [command('trash-not-rm', './trash-not-rm.sh')] } }),
    event: 'tool',
    fields: { tool_name: 'run_shell_command', tool_input: { command: 'rm notes.txt' } },
    answers: {
      './trash-not-rm.sh': {
        exitCode: 0,
        stdout: json({
          hookSpecificOutput: { tool_input: { command: 'trash notes.txt' } },
        }),
        stderr: '',
      },
    },
  },
  {
    title: 'A hook allows, another denies: the denial stays',
    place: '.hookmachine/settings.json',
    settings: json({
      hooks: {
        'tool.before': [command('approve-all', './approve.sh'), command('deny', './deny.sh')],
      },
    }),
    event: 'tool',
    fields: { tool_name: 'write_file', tool_input: { file_path: 'a.txt', content: 'hello' } },
    answers: {
      './approve.sh': { exitCode: 0, stdout: json({ decision: 'approve' }), stderr: '' },
      './deny.sh': { exitCode: 2, stdout: '', stderr: 'Not today.' },
    },
  },
  {
    title: 'A guard that fails, and must not let calls through',
    place: '.hookmachine/settings.json',
    settings: json({
      hooks: {
        'tool.before': [
          {
            hooks: [{ type: 'command', name: 'scan', command: './scan.sh', onFailure: 'block' }],
          },
        ],
      },
    }),
    event: 'tool',
    fields: { tool_name: 'write_file', tool_input: { file_path: 'a.txt', content: 'hello' } },
    answers: { './scan.sh': { exitCode: 1, stdout: '', stderr: 'scan: no such file' } },
  },
  {
    title: 'A prompt gets context',
    place: '.hookmachine/settings.json',
    settings: json({ hooks: { BeforeAgent: [command('branch', 'git branch --show-current')] } }),
    event: 'BeforeAgent',
    fields: { prompt: 'Tidy up' },
    answers: {
      'git branch --show-current': {
        exitCode: 0,
        stdout: json({ hookSpecificOutput: { additionalContext: 'The branch is main.' } }),
        stderr: '',
      },
    },
  },
  {
    title: 'Settings with mistakes',
    place: '.hookmachine/settings.json',
    settings:
      '{\n  "hooks": {\n    "tool.befor": [],\n    "tool.before": [\n      { "hooks": [{ "type": "comand", "command": "./a.sh" }] },\n      { "hooks": [{ "type": "command", "command": "./b.sh" }] }\n    ]\n  }\n}',
    event: 'tool',
    fields: { tool_name: 'read_file', tool_input: { file_path: 'a.txt' } },
    answers: { './b.sh': { exitCode: 2, stdout: '', stderr: 'The other hook still denies.' } },
  },
];

/** Where settings can be, for the hooks of several agents. */
export const places: readonly string[] = [
  '.hookmachine/settings.json',
  '.llxprt/settings.json',
  '.claude/settings.json',
  '.gemini/settings.json',
  '.qwen/settings.json',
  '.codex/hooks.json',
  '.cursor/hooks.json',
  '.github/hooks/hooks.json',
];
