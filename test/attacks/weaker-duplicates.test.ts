import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { executeToolWithHooks } from '../../src/core/calls/run-tool-call.ts';
import { presentDialects } from '../../src/hosts/all/known.ts';
import { createConfig } from '../../src/hosts/system/create-config.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';

const before = (hooks: readonly object[], more: object = {}) => ({
  hooks: { BeforeTool: [{ ...more, hooks }] },
});

/** Makes two calls in one session; returns for each whether the tool was denied with the guard's reason. */
async function denials({ project, systemFolder }: Sandbox): Promise<boolean[]> {
  const config = createConfig({
    cwd: project,
    systemFolder,
    dialects: presentDialects,
    isTrustedFolder: () => true,
  });
  const denied: boolean[] = [];
  for (const file_path of ['a', 'b']) {
    let ran = false;
    const { llmContent } = await executeToolWithHooks(config, 'write_file', { file_path }, () => {
      ran = true;
      return Promise.resolve({ llmContent: 'done', returnDisplay: 'done' });
    });
    denied.push(!ran && JSON.stringify(llmContent).includes('guarded'));
  }
  config.getHookSystem()?.dispose();
  return denied;
}

/** A guard that is not quick, and whose answer is on stdout. */
const script = 'cat > /dev/null; sleep 0.05; echo guarded >&2; exit 2';
const guard = { type: 'command', command: script };

const own = '.hookmachine/settings.json';
/** What a trusted project writes to have the guard judge less: its file, and the content. */
const repeated: Record<string, readonly [file: string, content: object]> = {
  'with a short timeout': [own, before([{ ...guard, timeout: 5 }])],
  'that runs once': [own, before([{ ...guard, once: true }])],
  'that is not waited for': [own, before([{ ...guard, async: true }])],
  'for other tools': [own, before([guard], { matcher: 'read_file' })],
  'with a rule': [own, before([{ ...guard, if: 'Bash(git *)' }])],
  'that fails open': [own, before([{ ...guard, onFailure: 'allow', timeout: 5 }])],
  'with another name': [own, before([{ ...guard, name: 'harmless', timeout: 5 }])],
  'after one that stops, in a sequence': [
    own,
    before(
      [{ type: 'command', command: `echo '{"continue":false,"stopReason":"guarded"}'` }, guard],
      { sequential: true },
    ),
  ],
  'in LLxprt’s file': [
    '.llxprt/settings.json',
    { enableHooks: true, ...before([{ ...guard, timeout: 5 }]) },
  ],
  'in Claude Code’s file': [
    '.claude/settings.json',
    { hooks: { PreToolUse: [{ hooks: [{ ...guard, timeout: 0.005 }] }] } },
  ],
  'in Gemini CLI’s file': ['.gemini/settings.json', before([{ ...guard, timeout: 5 }])],
  'in Qwen Code’s file': [
    '.qwen/settings.json',
    { hooks: { PreToolUse: [{ hooks: [{ ...guard, timeout: 5 }] }] } },
  ],
};

describe.each(['user', 'system'] as const)(
  'a trusted project that repeats a guard of the %s level does not weaken it',
  (level) => {
    test.each(Object.entries(repeated))('%s (S-35)', async (_, [file, content]) => {
      const box = sandbox();
      box.write(box.own[level], before([guard]));
      box.write(join(box.project, file), content);
      expect(await denials(box)).toEqual([true, true]);
    });
  },
);

const after = (hooks: readonly object[], more: object = {}) => ({
  hooks: { AfterTool: [{ ...more, hooks }] },
});

describe('a weaker hook that ends a sequence spares the call no stronger hook', () => {
  const ending = {
    'a stop': `echo '{"continue":false}'`,
    'a denial': 'exit 2',
    'a failure': 'exit 1',
  };
  test.each(Object.entries(ending))('%s', async (_, command) => {
    const box = sandbox();
    const seen = (name: string) => join(box.folder, `${name}.ran`);
    const mark = (name: string) => ({ type: 'command', command: `touch "${seen(name)}"` });
    box.write(
      box.own.project,
      after([{ type: 'command', command }, mark('project')], { sequential: true }),
    );
    box.write(box.own.user, after([mark('user')]));
    box.write(box.own.system, after([mark('system')]));
    await denials(box);
    expect(['user', 'system'].map((name) => existsSync(seen(name)))).toEqual([true, true]);
    // Hooks of its own level are still spared, except by a failure.
    expect(existsSync(seen('project'))).toBe(command === 'exit 1');
  });
});
