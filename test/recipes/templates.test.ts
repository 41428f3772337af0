import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { inParallel } from '../support/session.ts';
import { recipe, switchedOn, toolResults } from './recipe.ts';

const write = (content = 'x') => ({ file_path: 'a.txt', content });
const megabytes = 'x'.repeat(3_000_000);

describe('a template of the cookbook’s appendix', () => {
  test('T1: a hook that drains its input and prints {} changes nothing (HOOK-067)', async () => {
    const { call, read } = recipe(
      switchedOn({ BeforeTool: inParallel("cat >/dev/null; echo '{}'") }),
    );
    const { status, modelReads, warnings } = await call('write_file', write(megabytes));
    expect([status, warnings]).toEqual(['done', []]);
    expect(modelReads).toBe('Successfully created and wrote to new file: a.txt.');
    expect(read('a.txt')).toBe(megabytes);
  });

  test('T2: a hook can always block without reading megabytes of input (HOOK-192, R-13)', async () => {
    const { call, has } = recipe(
      switchedOn({
        BeforeTool: inParallel(`echo '{"decision":"block","reason":"Nothing is allowed"}'`),
      }),
    );
    const { status, modelReads, warnings } = await call('write_file', write(megabytes));
    expect([status, modelReads, warnings]).toEqual(['blocked', 'Nothing is allowed', []]);
    expect(has('a.txt')).toBe(false);
  });

  test('T3: exit 2 blocks, and stderr is the reason (HOOK-066, 067a, 189)', async () => {
    const { call } = recipe(
      switchedOn({ BeforeTool: inParallel('echo "Not on my watch" >&2; exit 2') }),
    );
    const { status, modelReads } = await call('write_file', write());
    expect([status, modelReads]).toEqual(['blocked', 'Not on my watch']);
  });

  test('T4: the Node boilerplate reads stdin by events and allows', async () => {
    const { call, put, read } = recipe(
      switchedOn({ BeforeTool: inParallel('.llxprt/hooks/boilerplate.mjs') }),
    );
    put(
      '.llxprt/hooks/boilerplate.mjs',
      `#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
let data = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => (data += chunk));
process.stdin.on('end', () => {
  writeFileSync('saw.txt', JSON.parse(data).tool_name);
  console.log(JSON.stringify({ decision: 'allow' }));
});
`,
    );
    const { status } = await call('write_file', write());
    expect([status, read('saw.txt')]).toEqual(['done', 'write_file']);
  });

  test('T5: a bare cat before {} makes one text of both, which goes to the model (HOOK-068, 201, R-12)', async () => {
    const { call } = recipe(switchedOn({ BeforeTool: inParallel("cat; echo '{}'") }));
    const { status, modelReads } = await call('write_file', write());
    expect(status).toBe('done');
    expect(modelReads).toMatch(/\n\n\[System\] \{"session_id".*"tool_name":"write_file".*\}\{\}$/);
  });

  test('T6: megabytes with characters of all planes and NUL arrive intact (C-36)', async () => {
    const content = `${'Grüße 你好 👩‍👩‍👧 \u2028 "\\" '.repeat(60_000)}\0end`;
    const { call, put, read } = recipe(
      switchedOn({ BeforeTool: inParallel('.llxprt/hooks/digest.py') }),
    );
    put(
      '.llxprt/hooks/digest.py',
      `#!/usr/bin/env python3
import hashlib, json, sys
content = json.load(sys.stdin)["tool_input"]["content"]
open("digest.txt", "w").write(hashlib.sha256(content.encode()).hexdigest())
print(json.dumps({"decision": "allow", "systemMessage": content[-4000:]}))
`,
    );
    const { status, modelReads } = await call('write_file', write(content));
    expect(status).toBe('done');
    expect(read('digest.txt')).toBe(createHash('sha256').update(content).digest('hex'));
    // And back again: Python escapes characters beyond ASCII, pair by pair.
    expect(modelReads.endsWith(Array.from(content).slice(-4000).join(''))).toBe(true);
  });
});

const hasJq = spawnSync('jq', ['--version']).status === 0;

describe('T7: the fields have the names that one-liners read', () => {
  const programs = {
    BeforeTool: ['.tool_name', '.tool_input.file_path // .tool_input.path', '.tool_input.command'],
    AfterTool: ['.tool_response.error == null'],
    BeforeModel: [
      '.llm_request.model',
      '.llm_request.messages | length',
      '[.llm_request.messages[] | select(.role == "user")] | last | .content',
    ],
    AfterModel: ['.llm_response.text', '.llm_response.candidates[0].content.parts[0]'],
  };
  const seen = {
    BeforeTool: ['write_file', 'a.txt', 'null'],
    AfterTool: ['true'],
    BeforeModel: ['scripted', '1', 'Write it.'],
    AfterModel: ['Well.', 'Well.'],
  };

  test.skipIf(!hasJq)(
    'T7: jq, where there is one, reads the fields under these names',
    async () => {
      const { session, read } = recipe(
        switchedOn(
          Object.fromEntries(
            Object.entries(programs).map(([event, lines]) => [
              event,
              // Only the first of each kind is kept: a turn has several model calls.
              inParallel(
                `input=$(cat); [ -e ${event}.txt ] || { ${lines.map((line) => `jq -r '${line}' <<<"$input"`).join('; ')}; } >${event}.txt`,
              ),
            ]),
          ),
        ),
      );
      const { run, chat } = session([
        {
          text: 'Well.',
          calls: [{ name: 'write_file', args: { file_path: 'a.txt', content: 'x' } }],
        },
        { text: 'Done.' },
      ]);
      await run('Write it.');
      for (const [event, lines] of Object.entries(seen))
        expect(read(`${event}.txt`).trimEnd().split('\n')).toEqual(lines);
      expect(toolResults(chat.history)[0]).not.toContain('[System]');
    },
  );

  test('T7: any JSON reader reads the fields under these names', async () => {
    const { session, read } = recipe(
      switchedOn(
        Object.fromEntries(
          Object.keys(programs).map((event) => [
            event,
            inParallel(`[ -e ${event}.json ] || cat >${event}.json`),
          ]),
        ),
      ),
    );
    const { run } = session([
      {
        text: 'Well.',
        calls: [{ name: 'write_file', args: { file_path: 'a.txt', content: 'x' } }],
      },
      { text: 'Done.' },
    ]);
    await run('Write it.');
    const input = (event: string): unknown => JSON.parse(read(`${event}.json`));
    expect(input('BeforeTool')).toMatchObject({
      tool_name: 'write_file',
      tool_input: { file_path: 'a.txt' },
    });
    expect(input('AfterTool')).not.toHaveProperty('tool_response.error');
    expect(input('BeforeModel')).toMatchObject({
      llm_request: { model: 'scripted', messages: [{ role: 'user', content: 'Write it.' }] },
    });
    expect(input('AfterModel')).toMatchObject({
      llm_response: { text: 'Well.', candidates: [{ content: { parts: ['Well.'] } }] },
    });
  });
});
