import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookmachine } from '../../support/hookmachine.ts';
import { relayBox } from '../../support/relay.ts';

const patch = [
  '*** Begin Patch',
  '*** Add File: public',
  '+one',
  '*** Update File: secret',
  '@@',
  '-a',
  '+b',
  '*** End Patch',
].join('\n');

/** Denies a call that names a certain file. */
const deniesSecret = `jq -e '.tool_input.file_path | endswith("/secret")' > /dev/null || exit 0; echo "not there" >&2; exit 2`;

/** A project with a guard of Claude Code and one of ours for tools that write files. */
function guarded() {
  const box = relayBox();
  const hooks = [{ type: 'command', command: deniesSecret }];
  box.write(join(box.project, '.claude/settings.json'), {
    hooks: { PreToolUse: [{ matcher: 'Edit|Write', hooks }] },
  });
  box.write(box.own.project, {
    hooks: { 'tool.before': [{ matcher: '^(write_file|replace)$', hooks }] },
  });
  return box;
}

describe('guards of tools that write files, with tools that apply patches', () => {
  test.each([
    [
      'an argument of Copilot',
      'preToolUse',
      { toolName: 'apply_patch', toolArgs: { input: patch } },
    ],
    ['a text', 'preToolUse', { toolName: 'apply_patch', toolArgs: patch }],
    [
      'arguments in JSON',
      'preToolUse',
      { toolName: 'apply_patch', toolArgs: JSON.stringify({ patch }) },
    ],
    [
      'a call under the name that hooks in Pascal case know',
      'PreToolUse',
      { tool_name: 'Edit', tool_input: { input: patch } },
    ],
  ])('guards of tools that write files deny a patch given as %s', async (_, event, call) => {
    const box = guarded();
    const given = { sessionId: 's1', timestamp: 1, cwd: box.project, ...call };
    const { answer } = await box.relay('copilot', given, { event });
    expect(answer).toEqual({ permissionDecision: 'deny', permissionDecisionReason: 'not there' });
  });

  test('a new file whose text is a patch is judged only as that file', async () => {
    const box = guarded();
    const toolArgs = { path: join(box.project, 'public'), file_text: patch };
    const given = { sessionId: 's1', timestamp: 1, cwd: box.project, toolName: 'create', toolArgs };
    expect((await box.relay('copilot', given, { event: 'preToolUse' })).answer).toBeUndefined();
  });

  test.each(['apply_patch', 'patch'])(
    'guards of tools that write files deny a patch of the OpenCode tool %s',
    async (tool) => {
      const box = guarded();
      const given = { session_id: 's1', cwd: box.project, tool, args: { patchText: patch } };
      const { answer } = await box.relay('opencode', given, { event: 'tool.execute.before' });
      expect(answer).toEqual({ deny: 'not there\nnot there' });
    },
  );

  test('a patch of OpenCode that names no guarded file passes, with what hooks changed in it', async () => {
    const box = relayBox();
    const change = `jq -c '{ hookSpecificOutput: { tool_input: (.tool_input | .content = "two\\n") } }'`;
    box.write(box.own.project, {
      hooks: {
        'tool.before': [{ matcher: '^write_file$', hooks: [{ type: 'command', command: change }] }],
      },
    });
    const args = { patchText: '*** Begin Patch\n*** Add File: a\n+one\n*** End Patch' };
    const given = { session_id: 's1', cwd: box.project, tool: 'apply_patch', args };
    const { answer } = await box.relay('opencode', given, { event: 'tool.execute.before' });
    expect(answer).toEqual({
      args: { patchText: '*** Begin Patch\n*** Add File: a\n+two\n*** End Patch' },
    });
  });
});

/** Fires an event as Codex does. */
const fired = async (box: ReturnType<typeof relayBox>) => {
  const { stdout, exitCode } = await hookmachine(
    box,
    ['fire', 'PreToolUse', '--dialect', 'codex', '--cwd', box.project],
    JSON.stringify({
      cwd: box.project,
      tool_name: 'apply_patch',
      tool_input: { command: patch },
    }),
  );
  return { ...(JSON.parse(stdout) as Record<string, unknown>), exitCode };
};

describe('an event that an agent fires as Codex', () => {
  test('an event fired as Codex is denied by guards of the files that its patch writes', async () => {
    expect(await fired(guarded())).toMatchObject({
      exitCode: 2,
      decision: 'deny',
      blocked: true,
      reason: 'not there\nnot there',
      hookCount: 4,
    });
  });

  test('an event fired as Codex is a single call to hooks of Codex', async () => {
    const box = relayBox();
    const hooks = [{ type: 'command', command: 'exit 0' }];
    box.write(join(box.project, '.codex/hooks.json'), { hooks: { PreToolUse: [{ hooks }] } });
    expect(await fired(box)).toMatchObject({ exitCode: 0, hookCount: 1, decision: 'none' });
  });
});
