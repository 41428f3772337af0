import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { geminiBox, geminiFields } from '../../support/gemini-cli.ts';
import { inProcess } from '../../support/in-process.ts';
import { groupOf, printing } from '../../support/host-box.ts';

describe('what Gemini CLI’s hooks receive', () => {
  test.each([
    ['BeforeTool', geminiFields.BeforeTool],
    ['AfterTool', geminiFields.AfterTool],
    ['BeforeAgent', geminiFields.BeforeAgent],
    ['AfterAgent', geminiFields.AfterAgent],
    ['BeforeModel', geminiFields.BeforeModel],
    ['AfterModel', geminiFields.AfterModel],
    ['BeforeToolSelection', geminiFields.BeforeToolSelection],
    ['SessionStart', geminiFields.SessionStart],
    ['SessionEnd', geminiFields.SessionEnd],
    ['PreCompress', geminiFields.PreCompress],
    ['Notification', geminiFields.Notification],
  ] as const)(
    'a Gemini CLI hook for %s receives the event’s fields on stdin',
    async (event, fields) => {
      const { local, project, left, start } = geminiBox();
      local({ hooks: { [event]: [groupOf(['cat > input'])] } });
      const { fire } = await start({ transcriptPath: '/t.json' });
      await fire(event, fields as never);
      const text = left('input');
      expect(text.endsWith('}')).toBe(true);
      expect(JSON.parse(text)).toEqual({
        session_id: 'talk',
        transcript_path: '/t.json',
        cwd: project,
        hook_event_name: event,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        ...fields,
      });
    },
  );

  test('a hook receives Gemini CLI’s names for tools and arguments, and a result without unknown fields', async () => {
    const { local, left, start } = geminiBox();
    local({ hooks: { AfterTool: [groupOf(['cat > input'])] } });
    const { fire } = await start();
    await fire('AfterTool', {
      tool_name: 'search_file_content',
      tool_input: { pattern: 'x', path: 'src', include: '*.ts' },
      tool_response: { llmContent: 'none', returnDisplay: { diff: '' }, metadata: { a: 1 } },
    });
    expect(JSON.parse(left('input'))).toMatchObject({
      tool_name: 'grep_search',
      tool_input: { pattern: 'x', dir_path: 'src', include_pattern: '*.ts' },
      tool_response: { llmContent: 'none', returnDisplay: { diff: '' } },
    });
    expect(left('input')).not.toContain('metadata');
  });

  test('a hook runs in bash with the host’s variables, which its own env overrides', async () => {
    const { local, project, home, left, start } = geminiBox();
    const names = ['GEMINI_PROJECT_DIR', 'GEMINI_CWD', 'CLAUDE_PROJECT_DIR', 'GEMINI_SESSION_ID'];
    const command = `[[ -n $BASH ]] && for name in ${names.join(' ')} GEMINI_PLANS_DIR MINE; do echo "\${!name}"; done > input`;
    local({
      hooks: {
        BeforeTool: [
          groupOf([{ type: 'command', command, env: { MINE: 'yes', GEMINI_CWD: 'other' } }]),
        ],
      },
    });
    const { fire } = await start();
    await fire('BeforeTool', geminiFields.BeforeTool);
    expect(left('input').trim().split('\n')).toEqual([
      project,
      'other',
      project,
      'talk',
      join(home, '.gemini/tmp/talk/plans'),
      'yes',
    ]);
  });

  test.each([
    ['bare', '$GEMINI_PROJECT_DIR/guard.sh'],
    ['in double quotes', '"$GEMINI_PROJECT_DIR/guard.sh"'],
    ['in single quotes', `bash -c '"$0"' '$CLAUDE_PROJECT_DIR/guard.sh'`],
  ])('a variable finds a script in a folder with a blank: %s', async (_, command) => {
    const box = geminiBox();
    const cwd = join(box.project, 'a folder');
    box.script('a folder/guard.sh', '#!/bin/sh\necho no >&2; exit 2\n');
    box.write(join(cwd, '.gemini/settings.json'), { hooks: { BeforeTool: [groupOf([command])] } });
    const { fire } = await box.start({ cwd });
    const { verdict } = await fire('BeforeTool', geminiFields.BeforeTool);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'no' });
  });
});

describe('hookmachine fire --dialect gemini-cli', () => {
  test('fire reads and reports Gemini CLI’s names, and passes further fields on', async () => {
    const box = geminiBox();
    const rewrite = printing({
      hookSpecificOutput: { tool_input: { pattern: 'y', dir_path: 'lib' } },
    });
    box.local({
      hooks: { BeforeTool: [groupOf([`cat > input; ${rewrite}`], { matcher: 'grep' })] },
    });
    const given = {
      session_id: 'talk',
      transcript_path: '/theirs.json',
      cwd: '/elsewhere',
      hook_event_name: 'BeforeTool',
      timestamp: 'x',
      tool_name: 'grep_search',
      tool_input: { pattern: 'x', dir_path: 'src' },
      mcp_context: { server_name: 's' },
    };
    const args = ['fire', 'BeforeTool', '--dialect', 'gemini-cli', '--session-id', 'talk'];
    const { stdout, exitCode } = await inProcess(box, args, JSON.stringify(given));
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        event: 'BeforeTool',
        decision: 'none',
        toolInput: { pattern: 'y', dir_path: 'lib' },
        hooks: [{ dialect: 'gemini-cli', source: 'project' }],
      },
    ]);
    expect(JSON.parse(box.left('input'))).toEqual({
      ...given,
      cwd: box.project,
      timestamp: expect.any(String),
    });
  });

  test.each([
    [{ decision: 'deny', reason: 'no' }, { blocked: true, reason: 'no' }, 2],
    [{ decision: 'ask', reason: 'sure?' }, { blocked: false, decision: 'ask' }, 3],
    [{ continue: false, stopReason: 'end' }, { stop: true, stopReason: 'end' }, 2],
  ])('fire reports the answer %j in its report and exit code', async (answer, report, status) => {
    const box = geminiBox();
    box.local({ hooks: { BeforeTool: [groupOf([printing(answer)])] } });
    const args = ['fire', 'BeforeTool', '--dialect', 'gemini-cli'];
    const { stdout, exitCode } = await inProcess(
      box,
      args,
      JSON.stringify(geminiFields.BeforeTool),
    );
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([status, report]);
  });

  test('Gemini CLI’s hooks are listed, and run for our own events', async () => {
    const box = geminiBox();
    box.local({ hooks: { BeforeTool: [groupOf(['echo no >&2; exit 2'])] } });
    expect((await inProcess(box, ['list'])).stdout).toContain('dialect  gemini-cli');
    const { exitCode } = await inProcess(
      box,
      ['fire', 'tool.before'],
      JSON.stringify(geminiFields.BeforeTool),
    );
    expect(exitCode).toBe(2);
  });
});
