import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { main } from '../../support/main.ts';
import { inProcess } from '../../support/in-process.ts';
import { guards, relayBox, says } from '../../support/relay.ts';

/** Installs the plugin, and runs a program of a few lines that uses it as OpenCode does. */
async function plugin(box: ReturnType<typeof relayBox>, program: string) {
  await inProcess(box, ['install', 'opencode', '--command', `node ${JSON.stringify(main)}`]);
  box.write(join(box.project, '.opencode/plugin/package.json'), { type: 'module' });
  const url = pathToFileURL(join(box.project, '.opencode/plugin/hookmachine.js')).href;
  const { stdout } = await execa(
    'node',
    [
      '--input-type=module',
      '-e',
      `import { Hookmachine } from ${JSON.stringify(url)};
      const said = [];
      const client = {
        app: { log: async ({ body }) => void said.push(body.message) },
        session: {
          messages: async () => ({ data: [] }),
          prompt: async ({ body }) => void said.push(body.parts[0].text),
        },
      };
      const hooks = await Hookmachine({ client, directory: process.cwd() });
      const tried = async (work) => { try { await work(); return 'ran'; } catch (error) { return error.message; } };
      const result = await (async () => { ${program} })();
      console.log(JSON.stringify({ result, said }));`,
    ],
    { cwd: box.project, env: { ...box.env, HOOKMACHINE_TRUST: '1' } },
  );
  return JSON.parse(stdout) as { result: unknown; said: readonly string[] };
}

const before = `
  const args = { command: 'ls', description: 'List' };
  const output = { args };
  const outcome = await tried(() => hooks['tool.execute.before']({ tool: 'bash', sessionID: 's', callID: 'c' }, output));
  return { outcome, args };`;

describe('the plugin for OpenCode', () => {
  test.each([
    ['lets a call run that no hook denies', guards.silence, 'ran', 'ls'],
    ['denies a call that a hook denies', guards.deny, 'not here', 'ls'],
    [
      'denies a call if a hook wants the user to be asked',
      guards.ask,
      expect.stringContaining('sure?'),
      'ls',
    ],
    [
      'changes the arguments in place',
      says({ hookSpecificOutput: { tool_input: { command: 'pwd' } } }),
      'ran',
      'pwd',
    ],
  ])('the plugin for OpenCode %s', async (_, guard, outcome, command) => {
    const box = relayBox();
    box.guard({ 'tool.before': guard });
    const { result } = await plugin(box, before);
    expect(result).toEqual({ outcome, args: { command, description: 'List' } });
  });

  test('the plugin for OpenCode passes on texts of any length and arguments of any name as they are', async () => {
    const box = relayBox();
    box.guard({
      'tool.before': `node -e 'console.log(JSON.stringify({ hookSpecificOutput: { tool_input: { command: "\\u65e5".repeat(100000) } } }))'`,
    });
    const { result } = await plugin(
      box,
      `const args = JSON.parse('{"command":"ls","constructor":1,"__proto__":{"a":1}}');
      await hooks['tool.execute.before']({ tool: 'bash', sessionID: 's', callID: 'c' }, { args });
      return [args.command === '\\u65e5'.repeat(100000), Object.keys(args), Object.getPrototypeOf(args) === Object.prototype];`,
    );
    expect(result).toEqual([true, ['command', 'constructor'], true]);
  });

  test('the plugin for OpenCode adds context to a result, and to a prompt', async () => {
    const box = relayBox();
    box.guard({ 'tool.after': guards.context, 'prompt.submit': guards.context });
    const { result } = await plugin(
      box,
      `const result = { title: '', output: 'a', metadata: {} };
      await hooks['tool.execute.after']({ tool: 'read', sessionID: 's', callID: 'c', args: { filePath: 'x' } }, result);
      const parts = [{ type: 'text', text: 'hi' }];
      await hooks['chat.message']({ sessionID: 's' }, { parts });
      return [result.output, parts[0].text];`,
    );
    expect(result).toEqual(['a\n\nby the way', 'hi\n\nby the way']);
  });

  test("the plugin for OpenCode shows hooks the parts of an MCP server's result, and adds one", async () => {
    const box = relayBox();
    box.guard({
      'tool.after': `jq -c '{hookSpecificOutput: {additionalContext: ("seen: " + .tool_response.llmContent)}}'`,
    });
    const { result } = await plugin(
      box,
      `const result = { content: [{ type: 'text', text: 'a' }] };
      await hooks['tool.execute.after']({ tool: 'files_read', sessionID: 's', callID: 'c', args: {} }, result);
      return result;`,
    );
    expect(result).toEqual({
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'seen: a' },
      ],
    });
  });

  test('the plugin for OpenCode refuses a prompt', async () => {
    const box = relayBox();
    box.guard({ 'prompt.submit': guards.deny });
    const { result } = await plugin(
      box,
      `return tried(() => hooks['chat.message']({ sessionID: 's' }, { parts: [{ type: 'text', text: 'hi' }] }));`,
    );
    expect(result).toBe('not here');
  });

  test('the plugin for OpenCode makes the agent continue with what hooks want done next', async () => {
    const box = relayBox();
    box.guard({ 'agent.stop': guards.deny });
    const { said } = await plugin(
      box,
      `await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 's' } } });`,
    );
    expect(said).toEqual(['not here']);
  });

  test.each([
    [
      'that cannot be started, and continues',
      'echo broken >&2; exit 7',
      'the relay ended with 7, so tool.execute.before continues: broken',
    ],
    [
      'that could not write its answer, and denies',
      'echo full >&2; exit 2',
      'full\ndenied: the relay ended with 2: full',
    ],
    [
      'that was killed, and denies',
      'kill -9 $$',
      expect.stringMatching(/^denied: the relay ended with (?:SIGKILL|137): /m),
    ],
    [
      'whose answer is cut off, and denies',
      `echo '{"args":'`,
      expect.stringMatching(/^(the relay's answer cannot be read: .*)\ndenied: \1$/),
    ],
  ])('the plugin for OpenCode reports a relay %s', async (_, script, said) => {
    // prettier-ignore
    const box = relayBox();
    const broken = box.write(join(box.folder, 'hookmachine'), `#!/bin/sh\n${script}\n`);
    chmodSync(broken, 0o755);
    await inProcess(box, ['install', 'opencode', '--command', `'${broken}'`]);
    const url = pathToFileURL(join(box.project, '.opencode/plugin/hookmachine.js')).href;
    box.write(join(box.project, '.opencode/plugin/package.json'), { type: 'module' });
    const { stdout } = await execa(
      'node',
      [
        '--input-type=module',
        '-e',
        `import { Hookmachine } from ${JSON.stringify(url)};
      const client = { app: { log: async ({ body }) => console.log(body.message) } };
      const hooks = await Hookmachine({ client, directory: '/' });
      await hooks['tool.execute.before']({ tool: 'bash' }, { args: {} })
        .catch(({ message }) => console.log('denied: ' + message));`,
      ],
      { stripFinalNewline: true },
    );
    expect(stdout).toEqual(said);
  });
});
