import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hookEventNames } from '../../src/core/protocol/events.ts';
import { commandInProcess, group, project, projectWithHooks } from '../support/project.ts';

const fields = {
  BeforeTool: { tool_name: 'write_file', tool_input: { file_path: 'a.txt', content: 'x' } },
  AfterTool: {
    tool_name: 'write_file',
    tool_input: {},
    tool_response: { llmContent: 'ok', returnDisplay: 'ok' },
  },
  BeforeModel: { llm_request: { model: 'm', messages: [{ role: 'user', content: 'hi' }] } },
  AfterModel: {
    llm_request: { model: 'm', messages: [] },
    llm_response: { candidates: [{ content: { role: 'model', parts: ['yes'] } }] },
  },
  BeforeToolSelection: { llm_request: { model: 'm', messages: [] } },
  BeforeAgent: { prompt: 'do it' },
  AfterAgent: { prompt: 'do it', prompt_response: 'done' },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'exit' },
  PreCompress: { trigger: 'auto' },
  Notification: { notification_type: 'ToolPermission', message: 'may I?' },
} as const;

async function fire(event: string, cwd: string, input: unknown, ...args: string[]) {
  const { stdout, stderr, exitCode } = await commandInProcess(
    ['fire', event, '--cwd', cwd, ...args],
    {
      input: typeof input === 'string' ? input : JSON.stringify(input),
    },
  );
  return { report: stdout === '' ? undefined : JSON.parse(stdout), stderr, exitCode };
}

describe('fire', () => {
  test('fire prints the whole contract for a denial and exits with 2 (HOOK-016a)', async () => {
    const cwd = projectWithHooks({
      BeforeTool: [group('echo "not there" >&2; exit 2', { name: 'guard' }, 'write_file')],
    });
    const { report, exitCode, stderr } = await fire('BeforeTool', cwd, fields.BeforeTool);
    expect(report).toEqual({
      event: 'BeforeTool',
      plan: { mode: 'parallel', count: 1 },
      hookCount: 1,
      success: false,
      decision: 'deny',
      blocked: true,
      reason: 'not there',
      stop: false,
      stopReason: null,
      systemMessage: null,
      additionalContext: null,
      suppressOutput: false,
      toolInput: null,
      toolOutput: null,
      followUps: [],
      llmRequest: null,
      llmResponse: null,
      toolConfig: null,
      hookSpecificOutput: null,
      hooks: [
        {
          command: 'echo "not there" >&2; exit 2',
          name: 'guard',
          dialect: 'llxprt',
          source: 'project',
          exitCode: 2,
          timedOut: false,
          success: false,
          durationMs: expect.any(Number),
        },
      ],
      conflicts: [],
      durationMs: expect.any(Number),
    });
    expect(exitCode).toBe(2);
    expect(stderr).toBe('');
  });

  test('fire exits with 2 for a stop, and reports its reason (HOOK-020)', async () => {
    const cwd = projectWithHooks({
      BeforeTool: [group(`echo '{"continue":false,"stopReason":"enough"}'`)],
    });
    const { report, exitCode } = await fire('BeforeTool', cwd, fields.BeforeTool);
    expect(report).toMatchObject({ blocked: false, stop: true, stopReason: 'enough' });
    expect(exitCode).toBe(2);
  });

  test('fire reports the final arguments when a hook rewrote some (HOOK-019, C-43)', async () => {
    const cwd = projectWithHooks({
      BeforeTool: [group(`echo '{"hookSpecificOutput":{"tool_input":{"file_path":"b.txt"}}}'`)],
    });
    const { report, exitCode } = await fire('BeforeTool', cwd, fields.BeforeTool);
    expect(report.toolInput).toEqual({ file_path: 'b.txt', content: 'x' });
    expect(exitCode).toBe(0);
  });

  test.each(hookEventNames)(
    '%s reaches its hook with our own base fields (HOOK-062, 215)',
    async (event) => {
      const cwd = projectWithHooks({ [event]: [group('cat > seen.json')] });
      const given = { ...fields[event], session_id: 'forged', cwd: '/forged', timestamp: 'forged' };
      const { report, exitCode } = await fire(event, cwd, given, '--session-id', 'abc');
      expect(exitCode).toBe(0);
      expect(report).toMatchObject({ event, hookCount: 1, success: true });
      const seen = JSON.parse(readFileSync(`${cwd}/seen.json`, 'utf8'));
      expect(seen).toMatchObject({
        ...fields[event],
        session_id: 'abc',
        cwd,
        hook_event_name: event,
        transcript_path: '',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      });
    },
  );

  test('fire reports no plan when hooks are off or none matches (HOOK-010, 012)', async () => {
    const off = project({
      '.llxprt/settings.json': { hooks: { BeforeTool: [group('exit 2')] } },
    });
    const other = projectWithHooks({ BeforeTool: [group('exit 2', {}, 'read_file')] });
    for (const cwd of [off, other, project()]) {
      const { report, exitCode } = await fire('BeforeTool', cwd, fields.BeforeTool);
      expect(report).toMatchObject({ plan: null, hookCount: 0, hooks: [], success: true });
      expect(exitCode).toBe(0);
    }
  });

  test('fire warns on stderr, one line per failed hook, and lets the call go on (HOOK-023)', async () => {
    const cwd = projectWithHooks({
      BeforeTool: [group('echo oops >&2; echo two >&2; exit 3', { name: 'broken' })],
    });
    const { report, exitCode, stderr } = await fire('BeforeTool', cwd, fields.BeforeTool);
    expect(exitCode).toBe(0);
    expect(report.hooks[0]).toMatchObject({
      exitCode: 3,
      success: false,
      error: expect.any(String),
    });
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^hookmachine: .*"broken".*BeforeTool.*code 3.*oops \| two$/),
    ]);
  });

  test.each([
    ['nothing', '', /stdin is empty/],
    ['text', 'hello', /stdin is not valid JSON/],
    ['an array', '[]', /stdin must hold one JSON object/],
    ['null', 'null', /stdin must hold one JSON object/],
    [
      'a wrong field',
      '{"tool_name":7}',
      /"tool_name" must be a string; "tool_input" must be an object/,
    ],
  ])('fire denies, and says in one line that stdin holds %s (S-33)', async (_, input, message) => {
    const { report, stderr, exitCode } = await fire('BeforeTool', project(), input);
    expect(report).toMatchObject({
      event: 'BeforeTool',
      decision: 'deny',
      blocked: true,
      reason: expect.stringMatching(message) as unknown,
    });
    expect(exitCode).toBe(2);
    expect(stderr.split('\n')).toEqual([expect.stringMatching(message)]);
  });

  test('the report of an event that could not be judged has the fields of any other', async () => {
    const judged = await fire('BeforeTool', project(), '{"tool_name":"x","tool_input":{}}');
    const denied = await fire('BeforeTool', project(), '');
    expect(Object.keys(denied.report)).toEqual(Object.keys(judged.report));
  });

  test('fire says in one line that stdin does not fit an event that nothing can deny', async () => {
    const { report, stderr, exitCode } = await fire('SessionEnd', project(), 'hello');
    expect([report, exitCode]).toEqual([undefined, 1]);
    expect(stderr.split('\n')).toEqual([expect.stringMatching(/stdin is not valid JSON/)]);
  });

  test.each([
    [['fire', 'beforetool'], /there is no event "beforetool": use BeforeTool$/],
    [['fire', 'BeforeTool', '--cwd', '/proc/no-folder'], /there is no such folder/],
    [['fire', 'BeforeTool', '--session-id', '../x'], /--session-id may hold/],
    [['fire'], /missing required argument 'event'/],
    [['fire', 'BeforeTool', '--nope'], /unknown option '--nope'/],
  ])('%j is refused with one clear line', async (args, message) => {
    const { stdout, stderr, exitCode } = await commandInProcess(args, { input: '{}' });
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(1);
  });

  test('fire reports broken settings in one warning with file and place, and blocks nothing', async () => {
    const cwd = project({ '.llxprt/settings.json': '{ "hooks": ' });
    const { report, stderr, exitCode } = await fire('BeforeTool', cwd, fields.BeforeTool);
    expect(report).toMatchObject({ plan: null, blocked: false });
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/settings\.json:1:\d+: not valid JSON/),
    ]);
    expect(exitCode).toBe(0);
  });

  test('fire with DEBUG shows plan, input, output, timing and merge (C-102)', async () => {
    const cwd = projectWithHooks({ BeforeTool: [group(`echo '{"reason":"fine"}'`)] });
    const { stderr } = await commandInProcess(['fire', 'BeforeTool', '--cwd', cwd], {
      input: JSON.stringify(fields.BeforeTool),
      env: { DEBUG: 'llxprt:core:hooks:*' },
    });
    for (const part of ['planner', 'runner', 'aggregator', 'event-handler'])
      expect(stderr).toContain(`llxprt:core:hooks:${part}`);
    expect(stderr).toMatch(/starts; input .*write_file/s);
    expect(stderr).toMatch(/ended after \d+ ms/);
  });
});
