import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { describe, expect, test } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { sandbox } from '../support/sandbox.ts';

/*
 * These hooks answer, read and are called in the ways of hooks that people publish for each host. Their
 * texts are our own.
 */

/** The file in which a host's project has its hooks, and the form of an entry in it. */
const places: Readonly<
  Record<string, readonly [file: string, entry: (command: string, matcher?: string) => object]>
> = {
  'claude-code': ['.claude/settings.json', group],
  'gemini-cli': ['.gemini/settings.json', group],
  'qwen-code': ['.qwen/settings.json', group],
  codex: ['.codex/hooks.json', group],
  cursor: ['.cursor/hooks.json', (command, matcher) => ({ command, ...(matcher && { matcher }) })],
  copilot: ['.github/hooks/hooks.json', (bash) => ({ type: 'command', bash, timeoutSec: 30 })],
};

function group(command: string, matcher?: string): object {
  return { ...(matcher && { matcher }), hooks: [{ type: 'command', command }] };
}

const scripts: Readonly<Record<string, string>> = {
  // The reason is a line on stderr; arguments are picked with jq.
  'by-status.sh': `#!/bin/bash
path=$(cat | jq -r '.tool_input.file_path // empty')
if [[ $path == *.env ]]; then echo "secrets stay here" >&2; exit 2; fi
`,
  'old-block.sh': `#!/bin/bash
case "$(jq -r '.tool_input.file_path // ""')" in *.env*) echo '{"decision":"block","reason":"secrets stay here"}' ;; esac
`,
  // JSON together with an exit code, and nothing on stderr.
  'both-ways.sh': `#!/bin/sh
input=$(cat)
case $(echo "$input" | jq -r '.tool_input.file_path') in
  *.env) echo '{"decision": "block", "reason": "secrets stay here"}'; exit 2 ;;
esac
`,
  'json-on-stderr.sh': `#!/bin/bash
echo '{"block": true, "message": "secrets stay here"}' >&2
exit 2
`,
  // The event's name is missing, and the reason has a different name.
  'half-said.sh': `#!/usr/bin/env bash
set -euo pipefail
fields="$(jq -c '.tool_input // empty')"
[[ -z "$fields" ]] && echo '{}' && exit 0
echo '{"hookSpecificOutput":{"permissionDecision":"deny","decisionReason":"secrets stay here"}}'
`,
  // One line, cut with grep and sed because there is no jq.
  'without-jq.sh': `#!/bin/bash
path=$(grep -o '"file_path"[[:space:]]*:[[:space:]]*"[^"]*"' | head -1 | sed 's/.*"\\([^"]*\\)"$/\\1/')
[[ $path == "$CLAUDE_PROJECT_DIR"/.env ]] || exit 0
echo "secrets stay here" >&2; exit 2
`,
  'ends-at-once.mjs': `
let text = '';
process.stdin.on('data', (chunk) => (text += chunk));
process.stdin.on('end', () => {
  const { command, file_path = '' } = JSON.parse(text);
  const permission = /push/.test(command) || /[.]env$/.test(file_path) ? 'deny' : /reset/.test(command) ? 'ask' : 'allow';
  process.stdout.write(JSON.stringify({ permission, user_message: 'look', agent_message: 'secrets stay here' }));
  process.exit(0);
});
`,
  // Old names for the messages, and a `continue` that is not meant.
  'old-words.sh': `#!/bin/sh
read line
if echo "$line" | jq -r .command | grep -q push; then
  jq -n '{continue: false, permission: "deny", userMessage: "secrets stay here"}'
else
  jq -n '{continue: true, permission: "allow"}'
fi
`,
  'of-two-hosts.py': `import json, sys
json.load(sys.stdin)
print(json.dumps({"permission": "deny", "hookSpecificOutput": {"hookEventName": "BeforeTool", "permissionDecision": "deny", "message": "secrets stay here"}}))
`,
  'twice-jq.sh': `#!/bin/bash
{
  input=$(cat)
  [ "$(echo "$input" | jq -r .toolName)" = bash ] || exit 0
  echo "$input" | jq -r .toolArgs | jq -r '.command // empty' | grep -q push || exit 0
  echo '{"permissionDecision":"deny","permissionDecisionReason":"secrets stay here"}'
} || exit 0
`,
  'either-case.sh': `#!/bin/bash
input=$(cat)
command=$(echo "$input" | jq -r '(try (.toolArgs | fromjson | .command) // .tool_input.command) // empty')
case $command in *push*) printf '{"permissionDecision":"deny","permissionDecisionReason":"secrets stay here"}\\n' ;; esac
`,
  'notes.sh': `#!/usr/bin/env bash
jq -r .tool_name >> notes.txt
echo "noted"
`,
};

const file = { file_path: 'PROJECT/.env', content: 'KEY=1' };
const push = { command: 'git push' };

interface Published {
  readonly script: string;
  readonly event: string;
  readonly fields: object;
  readonly matcher?: string;
  readonly command?: string;
}

/** Returns the exit code of `fire` after such a hook, and the project folder. */
async function fire(
  dialect: string,
  { script, event, fields, matcher, command = './SCRIPT' }: Published,
): Promise<{ readonly exitCode: number; readonly project: string }> {
  const box = sandbox();
  const { project } = box;
  const [settings, entry] = places[dialect]!;
  const path = join(settings, '..', 'hooks', script);
  box.write(join(project, path), scripts[script]);
  execaSync('chmod', ['+x', join(project, path)]);
  execaSync('git', ['init', '-q', project]);
  const hook = entry(command.replace('SCRIPT', path), matcher);
  box.write(join(project, settings), { version: 1, hooks: { [event]: [hook] } });
  const { exitCode } = await inProcess(
    box,
    ['fire', event, '--dialect', dialect, '--dialects', dialect],
    JSON.stringify(fields).replaceAll('PROJECT', project),
  );
  return { exitCode, project };
}

const ofProject = '"$CLAUDE_PROJECT_DIR"/SCRIPT';
const write = (tool_name: string) => ({ tool_name, tool_input: file });
const shell = { command: 'git push', cwd: '' };

describe('published hooks that deny', () => {
  test.each<[dialect: string, script: string, more: Omit<Published, 'script'>]>([
    ['claude-code', 'by-status.sh', { event: 'PreToolUse', fields: write('Write'), matcher: 'Edit|Write', command: ofProject }],
    ['claude-code', 'old-block.sh', { event: 'PreToolUse', fields: write('Write'), command: `bash ${ofProject}` }],
    ['claude-code', 'both-ways.sh', { event: 'PreToolUse', fields: write('Write'), matcher: 'Write' }],
    ['claude-code', 'half-said.sh', { event: 'PreToolUse', fields: write('Write') }],
    ['claude-code', 'without-jq.sh', { event: 'PreToolUse', fields: write('Write') }],
    ['gemini-cli', 'by-status.sh', { event: 'BeforeTool', fields: write('write_file'), matcher: 'write_file|replace', command: '$GEMINI_PROJECT_DIR/SCRIPT' }],
    ['gemini-cli', 'both-ways.sh', { event: 'BeforeTool', fields: write('write_file') }],
    ['gemini-cli', 'half-said.sh', { event: 'BeforeTool', fields: write('write_file') }],
    ['gemini-cli', 'of-two-hosts.py', { event: 'BeforeTool', fields: write('write_file'), command: 'python3 SCRIPT' }],
    ['qwen-code', 'by-status.sh', { event: 'PreToolUse', fields: write('write_file'), matcher: 'Write|Edit', command: '"$QWEN_PROJECT_DIR/SCRIPT"' }],
    ['qwen-code', 'both-ways.sh', { event: 'PreToolUse', fields: write('write_file') }],
    ['codex', 'json-on-stderr.sh', { event: 'PreToolUse', fields: { tool_name: 'apply_patch', tool_input: { command: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch' } }, matcher: 'Edit|Write', command: '"$(git rev-parse --show-toplevel)/SCRIPT"' }],
    ['codex', 'half-said.sh', { event: 'PreToolUse', fields: { tool_name: 'Bash', tool_input: push }, command: 'cd "$(git rev-parse --show-toplevel)" && ./SCRIPT' }],
    ['cursor', 'ends-at-once.mjs', { event: 'beforeShellExecution', fields: shell, command: 'node SCRIPT' }],
    ['cursor', 'ends-at-once.mjs', { event: 'beforeReadFile', fields: { file_path: 'PROJECT/.env', content: '', attachments: [] }, command: 'node SCRIPT' }],
    ['cursor', 'old-words.sh', { event: 'beforeShellExecution', fields: shell }],
    ['copilot', 'twice-jq.sh', { event: 'preToolUse', fields: { toolName: 'bash', toolArgs: push } }],
    ['copilot', 'either-case.sh', { event: 'PreToolUse', fields: { tool_name: 'Bash', tool_input: push } }],
  ])('a published hook for %s denies as it means to: %s', async (dialect, script, more) => {
    expect((await fire(dialect, { script, ...more })).exitCode).toBe(2);
  }); // prettier-ignore
});

test('a published hook for Cursor asks as it means to', async () => {
  const { exitCode } = await fire('cursor', {
    script: 'ends-at-once.mjs',
    event: 'beforeShellExecution',
    fields: { command: 'git reset --hard', cwd: '' },
    command: 'node SCRIPT',
  });
  expect(exitCode).toBe(3);
});

test('a published hook that takes notes denies nothing, and writes them into the project folder', async () => {
  const { exitCode, project } = await fire('gemini-cli', {
    script: 'notes.sh',
    event: 'AfterTool',
    fields: { ...write('write_file'), tool_response: { llmContent: 'x', returnDisplay: 'x' } },
    matcher: '*',
    command: '$GEMINI_PROJECT_DIR/SCRIPT',
  });
  expect([exitCode, existsSync(join(project, 'notes.txt'))]).toEqual([0, true]);
});

test("a hook that reads Copilot's arguments as text finds none, because Copilot gives an object", async () => {
  const { exitCode } = await fire('copilot', {
    script: 'either-case.sh',
    event: 'preToolUse',
    fields: { toolName: 'bash', toolArgs: push },
  });
  expect(exitCode).toBe(0);
});
