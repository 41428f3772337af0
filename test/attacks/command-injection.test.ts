import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createConfig } from '../../src/hosts/system/create-config.ts';
import { runToExit } from '../handlers/process/run-hook.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox } from '../support/sandbox.ts';
import { group, inParallel, startSession } from '../support/session.ts';
import { tempFolder } from '../support/temp-folder.ts';

/**
 * Commands that a shell would run if it ever read them as its own text; each writes into the working
 * directory.
 */
const payloads = [
  '$(touch pwned)',
  '`touch pwned`',
  '; touch pwned;',
  '"; touch pwned; "',
  "'; touch pwned; '",
  '\ntouch pwned\n',
  '&& touch pwned #',
  '| tee pwned',
  '${IFS}touch pwned',
  '() { :;}; touch pwned',
];
const isPwned = (folder: string): boolean => existsSync(join(folder, 'pwned'));

/** The ways in which a command may name its project. */
const references = [
  '$LLXPRT_PROJECT_DIR/check.sh',
  '${GEMINI_PROJECT_DIR}/check.sh',
  '"$CLAUDE_PROJECT_DIR"/check.sh',
  'sh "$LLXPRT_PROJECT_DIR/check.sh"',
  'x=$LLXPRT_PROJECT_DIR; "$x/check.sh"',
  'sh <<< "$(cat $LLXPRT_PROJECT_DIR/check.sh)"',
];

describe('a project folder with a command as its name runs nothing', () => {
  test.each(payloads)('a project folder named %j runs nothing', async (payload) => {
    const { write, folder } = sandbox();
    const project = join(folder, payload.replaceAll('/', '_'));
    mkdirSync(project);
    const script = write(join(project, 'check.sh'), '#!/bin/sh\necho ran >> ran; exit 0\n');
    chmodSync(script, 0o755);
    const session = await startSession({ BeforeTool: inParallel(...references) }, { cwd: project });
    const { warnings } = session;
    const { results } = await session.fire('BeforeTool', { tool_name: 'x', tool_input: {} });
    expect(warnings).toEqual([]);
    expect(results.map(({ success }) => success)).toEqual(references.map(() => true));
    expect(readFileSync(join(project, 'ran'), 'utf8')).toBe('ran\n'.repeat(references.length));
    expect(readdirSync(project).toSorted()).toEqual(['check.sh', 'ran']);
    expect(isPwned(folder)).toBe(false);
  });
});

test('an extension folder with a command as its name runs nothing', async () => {
  for (const payload of payloads) {
    const { home, project, write } = sandbox();
    const extension = join(home, '.llxprt/extensions', payload.replaceAll('/', '_'));
    const script = write(join(extension, 'check.sh'), '#!/bin/sh\nexit 2\n');
    chmodSync(script, 0o755);
    write(join(extension, 'hooks/hooks.json'), {
      hooks: { BeforeTool: [group(['${extensionPath}/check.sh', '"$extensionPath/check.sh" x'])] },
    });
    write(join(project, '.llxprt/settings.json'), { enableHooks: true });
    const system = createConfig({ cwd: project, isTrustedFolder: () => true }).getHookSystem()!;
    await system.initialize();
    const fields = { tool_name: 'x', tool_input: {} };
    const { results } = await system.getEventHandler().fire('BeforeTool', fields);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([2, 2]);
    expect(isPwned(project)).toBe(false);
  }
});

describe('what the model says', () => {
  /** A hook that shows everything it was given besides stdin: its arguments and its environment. */
  const showAll = `tr '\\0' '\\n' < /proc/$$/cmdline > words; env > environment`;

  test('a tool name or arguments from the model reach no shell and no environment', async () => {
    for (const payload of payloads) {
      const marked = `model-said ${payload}`;
      const session = await startSession({ BeforeTool: inParallel(showAll) });
      const { folder } = session;
      const fields = { tool_name: marked, tool_input: { command: marked, [marked]: marked } };
      const { results } = await session.fire('BeforeTool', fields);
      expect(results[0]?.success).toBe(true);
      for (const file of ['words', 'environment'])
        expect(readFileSync(join(folder, file), 'utf8')).not.toContain('model-said');
      expect(isPwned(folder)).toBe(false);
    }
  });

  test('what the model says reaches the hook on stdin, letter by letter', async () => {
    const session = await startSession({ BeforeTool: inParallel('cat > input') });
    const { folder } = session;
    const tool_input = Object.fromEntries(payloads.map((payload) => [payload, payload]));
    await session.fire('BeforeTool', { tool_name: payloads.join(''), tool_input });
    expect(JSON.parse(readFileSync(join(folder, 'input'), 'utf8'))).toMatchObject({
      tool_name: payloads.join(''),
      tool_input,
    });
  });
});

test('a variable with a command as its value stays a value', async () => {
  for (const payload of payloads) {
    const cwd = tempFolder();
    const { stdout } = await runToExit("printf '%s|' $DATA", { cwd, env: { DATA: payload } });
    expect(stdout).toBe(`${payload}|`);
    expect(isPwned(cwd)).toBe(false);
  }
});

test('a program of another dialect is started from its file, whatever its name', async () => {
  for (const payload of payloads) {
    const { project, write } = sandbox();
    const file = join(project, '.kodelet/hooks', payload.replaceAll('/', '_'));
    write(
      file,
      '#!/bin/sh\ncase $1 in hook) echo before_tool_call ;; run) echo \'{"blocked":true}\' ;; esac\n',
    );
    chmodSync(file, 0o755);
    const system = createConfig({ cwd: project, isTrustedFolder: () => true }).getHookSystem()!;
    await system.initialize();
    const fields = { tool_name: 'x', tool_input: {} };
    const { finalOutput } = await system.getEventHandler().fire('BeforeTool', fields);
    expect(finalOutput?.isBlockingDecision()).toBe(true);
    expect(isPwned(project)).toBe(false);
  }
});

test('a session id that hooks would use in file names leads nowhere else', async () => {
  const box = sandbox();
  box.write(box.files.project, {
    enableHooks: true,
    hooks: { SessionStart: [group(["jq -r .session_id | xargs -I{} touch '{}'"])] },
  });
  for (const id of ['../../pwned', '$(touch pwned)', 'a b', '', 'a\nb']) {
    const args = ['fire', 'SessionStart', '--session-id', id];
    const { exitCode, stderr } = await inProcess(box, args, '{"source":"startup"}');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--session-id may hold')]);
  }
  expect(isPwned(box.folder) || isPwned(box.project)).toBe(false);
});
