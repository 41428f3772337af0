import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { group, inParallel, print } from '../../support/session.ts';
import { isAlive, untilWritten, waitUntil } from '../../support/until.ts';
import { isWhole } from '../installed.ts';
import { program, runOpenCode } from './run-opencode.ts';

if (!program) console.log('skipped: opencode-ai is not installed (npm run frameworks installs it)');

const bash = (command: string) => ({ name: 'bash', input: { command, description: 'Work' } });
const deny = 'echo "not that one" >&2; exit 2';
const note = (event: string) => `jq -r '"${event} " + .session_id' >> order`;
const says = (additionalContext: string) => print({ hookSpecificOutput: { additionalContext } });
const stop = print({ continue: false, stopReason: 'Enough.' });

describe.skipIf(!program)('the plugin in the published OpenCode', () => {
  test('one of two simultaneous calls is denied, the model reads why, and all events come in one session', async () => {
    const guard = `jq -e '.tool_input.command | test("b.txt")' > /dev/null || exit 0; ${deny}`;
    const { made, read, results, requests } = await runOpenCode(
      {
        SessionStart: inParallel(note('start')),
        BeforeAgent: inParallel(note('before')),
        BeforeModel: inParallel(note('model')),
        BeforeTool: [group([guard], { matcher: '^bash$' })],
        AfterTool: inParallel(note('tool')),
        AfterModel: inParallel(note('answer')),
        AfterAgent: inParallel(note('after')),
        SessionEnd: inParallel(note('end')),
      },
      [[bash('touch a.txt'), bash('touch b.txt')], 'fine'],
    );
    expect([made('a.txt'), made('b.txt')]).toEqual([true, false]);
    expect(results[1]).toContain('not that one');
    expect(requests).toHaveLength(2);
    const lines = read('order').trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'start',
      'before',
      'model',
      'answer',
      'tool',
      'model',
      'answer',
      'after',
      'end',
    ]);
    expect(new Set(lines.map((line) => line.split(' ')[1])).size).toBe(1);
  });

  describe.skipIf(!isWhole)('further cases, which npm run frameworks -- opencode runs', () => {
    test('nothing changes when no hook matches', async () => {
      const { made, texts, requests } = await runOpenCode({}, [[bash('touch a.txt')], 'fine']);
      expect(made('a.txt')).toBe(true);
      expect(texts).toEqual(['fine']);
      expect(requests).toHaveLength(2);
    });

    test('a rewrite reaches the tool, AfterTool, the stored call and the model, and so does what hooks say about the result', async () => {
      const rewrite = print({
        hookSpecificOutput: { tool_input: { command: 'echo REWRITTEN > a.txt; cat a.txt' } },
      });
      const context = { hookSpecificOutput: { additionalContext: 'Mind the gap.' } };
      const { read, calls, results, requests } = await runOpenCode(
        {
          BeforeTool: [group([rewrite], { matcher: 'run_shell_command' })],
          AfterTool: inParallel(`jq -r .tool_input.command >> after; ${print(context)}`),
        },
        [[bash('touch ORIGINAL')], 'fine'],
        {
          plugin: `import { HookmachinePlugin } from 'hookmachine/opencode';
            export const Plugin = (input) =>
              HookmachinePlugin(input, { tools: { alias: { bash: 'run_shell_command' } } });`,
        },
      );
      expect(read('a.txt')).toBe('REWRITTEN\n');
      expect(read('after')).toContain('REWRITTEN');
      expect(calls[0]!.input['command']).toContain('REWRITTEN');
      expect(JSON.stringify(requests)).not.toContain('ORIGINAL');
      expect(results[0]).toMatch(/REWRITTEN.*Mind the gap\./);
    });

    test.each([
      ['before', { BeforeTool: inParallel(stop) }, [false, false]],
      ['after', { AfterTool: inParallel(stop) }, [true, true]],
    ])('a stop %s a tool ends the turn', async (_, hooks, ran) => {
      const { made, requests } = await runOpenCode(hooks, [
        [bash('touch a.txt')],
        [bash('touch never.txt')],
      ]);
      expect(made('a.txt')).toBe(ran[0]);
      expect(made('never.txt')).toBe(false);
      expect(requests).toHaveLength(1);
    });

    test('hooks change the texts and settings of a request, and the finished text of an answer', async () => {
      const request = {
        hookSpecificOutput: {
          llm_request: {
            messages: [{ role: 'user', content: 'go carefully' }],
            config: { temperature: 0.25 },
          },
        },
      };
      const answer = {
        hookSpecificOutput: {
          llm_response: { candidates: [{ content: { role: 'model', parts: ['redacted'] } }] },
        },
      };
      const { requests, texts } = await runOpenCode(
        { BeforeModel: inParallel(print(request)), AfterModel: inParallel(print(answer)) },
        ['the secret'],
      );
      expect(requests[0]).toMatchObject({ temperature: 0.25 });
      expect(JSON.stringify(requests[0]!.messages.at(-1))).toContain('go carefully');
      expect(texts).toEqual(['redacted']);
    });

    test('the calls in a history stay when hooks change its texts', async () => {
      const change = `jq -c '{hookSpecificOutput: {llm_request: {messages: (.llm_request.messages | map(.content |= sub("go"; "stay")))}}}'`;
      const { requests } = await runOpenCode({ BeforeModel: inParallel(change) }, [
        [bash('echo ran')],
        'fine',
      ]);
      const messages = requests[1]!.messages.filter(({ role }) => role !== 'system');
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
      expect(JSON.stringify(messages[0])).toContain('stay');
      expect(JSON.stringify(messages[2])).toContain('ran');
    });

    test.each([
      ['prompt', { BeforeAgent: inParallel(deny) }],
      ['request', { BeforeModel: inParallel(deny) }],
      ['turn', { BeforeModel: inParallel(stop) }],
    ])('a %s that a hook denies or stops never reaches the model', async (_, hooks) => {
      const { requests, output } = await runOpenCode(hooks, ['never']);
      expect(requests).toEqual([]);
      expect(output).not.toContain('never');
    });

    test('context of SessionStart and BeforeAgent follows the prompt', async () => {
      const { requests } = await runOpenCode(
        {
          SessionStart: inParallel(says('of the session')),
          BeforeAgent: inParallel(says('of the prompt')),
        },
        ['fine'],
      );
      expect(JSON.stringify(requests[0]!.messages.at(-1))).toMatch(
        /go.*of the session.*of the prompt/,
      );
    });

    test('a tool that hooks did not select does not run', async () => {
      const select = {
        hookSpecificOutput: {
          toolConfig: { mode: 'ANY', allowedFunctionNames: ['read'] },
        },
      };
      const { made, results } = await runOpenCode(
        { BeforeToolSelection: inParallel(print(select)) },
        [[bash('touch a.txt')], 'fine'],
      );
      expect(made('a.txt')).toBe(false);
      expect(results[0]).toContain('not among the tools');
    });

    test('a call that a hook wants asked about is denied', async () => {
      const { made, results } = await runOpenCode(
        {
          'tool.before': inParallel(print({ decision: 'ask', reason: 'Really?' })),
        },
        [[bash('touch a.txt')], 'fine'],
      );
      expect(made('a.txt')).toBe(false);
      expect(results[0]).toContain('Really?');
    });

    test('hooks see the error of a tool that fails', async () => {
      const seen = `jq -r .tool_response.error.message >> failed`;
      const { read } = await runOpenCode({ AfterTool: inParallel(seen) }, [
        [{ name: 'read', input: { filePath: '/no/such/file' } }],
        'fine',
      ]);
      expect(read('failed')).toContain('/no/such/file');
    });

    test('a failing hook lets the call pass', async () => {
      const { made } = await runOpenCode({ BeforeTool: inParallel('exit 7') }, [
        [bash('touch a.txt')],
        'fine',
      ]);
      expect(made('a.txt')).toBe(true);
    });

    test('an AfterAgent hook makes the agent continue, if OpenCode keeps running after a turn', async () => {
      const once = `jq -e .stop_hook_active > /dev/null || { echo "one more thing" >&2; exit 2; }`;
      const { requests } = await runOpenCode(
        { AfterAgent: inParallel(once), BeforeAgent: inParallel(note('before')) },
        ['first', 'second'],
        {
          args: ['serve', '--port', '0'],
          async onStart({ requests: sent, printed, kill }) {
            const address = /http:\/\/127\.0\.0\.1:\d+/;
            await waitUntil(() => address.test(printed()));
            const [url] = address.exec(printed())!;
            const post = async (path: string, body: object) =>
              (
                await fetch(`${url}${path}`, {
                  method: 'POST',
                  headers: { 'content-type': 'application/json' },
                  body: JSON.stringify(body),
                })
              ).json();
            const { id } = (await post('/session', {})) as { readonly id: string };
            await post(`/session/${id}/message`, {
              model: { providerID: 'local', modelID: 'm' },
              parts: [{ type: 'text', text: 'go' }],
            });
            await waitUntil(() => sent.length === 2);
            kill('SIGTERM');
          },
        },
      );
      expect(JSON.stringify(requests[1]!.messages)).toContain('one more thing');
    });

    test('a run that is interrupted while a hook runs leaves no hook behind', async () => {
      let pid = 0;
      await runOpenCode(
        { BeforeTool: [group([{ command: 'echo $$ > pid; exec sleep 600', timeout: 600_000 }])] },
        [[bash('touch a.txt')], 'fine'],
        {
          async onStart({ project, kill }) {
            pid = Number(await untilWritten(join(project, 'pid')));
            kill('SIGINT');
          },
        },
      );
      await waitUntil(() => !isAlive(pid));
    });

    test('OpenCode finds the plugin in the package', async () => {
      const root = fileURLToPath(new URL('../../../', import.meta.url));
      const { made, results } = await runOpenCode(
        { BeforeTool: inParallel(deny) },
        [[bash('touch a.txt')], 'fine'],
        { plugin: '', settings: { plugin: [root] } },
      );
      expect(made('a.txt')).toBe(false);
      expect(results[0]).toContain('not that one');
    });

    test('the plugin fits the types of OpenCode', async () => {
      const { stdout } = await execa({
        reject: false,
      })`npx tsc -p ${join(import.meta.dirname, 'types')}`;
      expect(stdout).toBe('');
    });
  });
});
