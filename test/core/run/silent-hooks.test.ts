import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inProcess } from '../../support/in-process.ts';
import { hookAt } from '../../support/own-hooks.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';

const call = JSON.stringify({ session_id: 'one', tool_name: 'write_file', tool_input: {} });

const fire = ({ project, env }: Pick<Sandbox, 'project' | 'env'>, ...args: string[]) =>
  inProcess({ project, env }, ['fire', 'BeforeTool', ...args], call);

/** What each reason for a hook not to run looks like: a hook, and what is said about it. */
const filters: Readonly<
  Record<string, { readonly write: (box: Sandbox) => void; readonly says: RegExp }>
> = {
  'an entry without a command': {
    write: (box) => box.write(box.own.user, hookAt('tool.before', { type: 'command' })),
    says: /hooks\[0\]\.command: is missing, so the hook was discarded/,
  },
  'a type that does not exist': {
    write: (box) => box.write(box.own.user, hookAt('tool.before', { type: 'webhook', url: 'x' })),
    says: /hooks\[0\]\.type: is "webhook", so the hook was discarded/,
  },
  'an event that does not exist': {
    write: (box) => box.write(box.own.user, hookAt('tool.befor', 'exit 2')),
    says: /there is no such event/,
  },
  'another host’s event': {
    write: (box) =>
      box.write(
        'home/.claude/settings.json',
        hookAt('BeforeTool', { type: 'command', command: 'x' }),
      ),
    says: /Claude Code has no such event, so it was skipped/,
  },
  'a plugin': {
    write: (box) => box.write(box.own.user, hookAt('tool.before', { type: 'plugin', name: 'x' })),
    says: /plugin/,
  },
  'an untrusted project': {
    write: (box) => box.write(box.own.project, hookAt('tool.before', 'exit 2')),
    says: /not trusted, so they were skipped/,
  },
  'no switch that turns LLxprt’s hooks on': {
    write: (box) => box.write(box.files.user, hookAt('BeforeTool', 'exit 2')),
    says: /these hooks do not run, because nothing switches hooks on/,
  },
  'a call of the relay beside something else': {
    write: (box) =>
      box.write(box.own.user, hookAt('tool.before', 'check; hookmachine relay claude-code')),
    says: /also does something else, so it was skipped/,
  },
  'a post to the serve of somebody else': {
    write: (box) =>
      box.write(
        'home/.claude/settings.json',
        hookAt('PreToolUse', {
          type: 'http',
          url: 'http://127.0.0.1:20001/claude-code',
          headers: { Authorization: 'Bearer $HOOKMACHINE_TOKEN' },
          allowedEnvVars: ['HOOKMACHINE_TOKEN'],
        }),
      ),
    says: /that is not yours \(none was started\), so it was skipped/,
  },
  'a file that a plugin of Claude Code names and that is gone': {
    write: (box) => {
      box.write('home/.claude/settings.json', { enabledPlugins: { 'one@two': true } });
      const installed = [{ scope: 'user', installPath: join(box.home, 'plugin') }];
      box.write('home/.claude/plugins/installed_plugins.json', {
        version: 2,
        plugins: { 'one@two': installed },
      });
      box.write('home/plugin/.claude-plugin/plugin.json', { hooks: './guards.json' });
    },
    says: /guards\.json: is where a plugin says that its hooks are, and does not exist/,
  },
  'a file that a plugin of Copilot names and that is gone': {
    write: (box) => {
      box.write('home/plugin/plugin.json', { hooks: 'guards.json' });
      box.write('home/.copilot/config.json', {
        installedPlugins: [{ enabled: true, cache_path: join(box.home, 'plugin') }],
      });
    },
    says: /guards\.json: is where a plugin says that its hooks are, and does not exist/,
  },
  'an executable that does not tell its event': {
    write: (box) => chmodSync(box.write('home/.kodelet/hooks/guard', '#!/bin/sh\nexit 1\n'), 0o755),
    says: /ended with 1 when asked for its type \("hook"\), so it was skipped/,
  },
};

describe.each(Object.entries(filters))('a hook that does not run: %s', (_, { write, says }) => {
  it('HOOK-191: is reported once in a session', async () => {
    const box = sandbox();
    const env = { ...box.env, HOOKMACHINE_TRUST: '', XDG_STATE_HOME: join(box.folder, 'state') };
    write(box);
    const first = await fire({ ...box, env });
    expect(first.stderr).toMatch(says);
    const second = await fire({ ...box, env });
    expect(second.stderr.replace(/^.*(?:failed|skipped: ended).*$/gm, '')).not.toMatch(says);
  });
});

/** Why hooks ran or not, by their names. */
async function whyNot(box: Sandbox, ...more: string[]) {
  const { stdout } = await fire(box, '--why', ...more);
  const { why } = JSON.parse(stdout) as { why: { hook: string; why: string }[] };
  return Object.fromEntries(why.map((one) => [one.hook, one.why]));
}

describe('a hook that does not run in the ordinary course of things', () => {
  it.each<[string, object, RegExp]>([
    [
      'is disabled',
      { ...hookAt('tool.before', 'x'), hooksConfig: { disabled: ['x'] } },
      /disabled/,
    ],
    [
      'is switched off',
      { ...hookAt('tool.before', 'x'), hooksConfig: { enabled: false } },
      /switched off/,
    ],
    ['is for other tools', hookAt('tool.before', 'x', { matcher: 'other' }), /does not match/],
    [
      'has a rule',
      hookAt('tool.before', { type: 'command', command: 'x', if: 'Bash(ls)' }),
      /its "if"/,
    ],
    ['is for another event', hookAt('tool.after', 'x'), /for another event/],
    [
      'calls the relay',
      hookAt('tool.before', 'hookmachine relay codex'),
      /its host call hookmachine/,
    ],
  ])('fire --why says that it %s', async (_, settings, says) => {
    const box = sandbox();
    box.write(box.own.user, settings);
    expect(Object.values(await whyNot(box))).toEqual([expect.stringMatching(says)]);
  });
});

const guard = (url: string) =>
  hookAt('PreToolUse', {
    type: 'http',
    url,
    headers: { Authorization: 'Bearer $HOOKMACHINE_TOKEN' },
    allowedEnvVars: ['HOOKMACHINE_TOKEN'],
  });

describe('an http guard that sends the token of serve', () => {
  it('judges if its address is not one of serve', async () => {
    const box = sandbox();
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"decision":"block","reason":"by the server"}');
    });
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    box.write('home/.claude/settings.json', guard(`http://127.0.0.1:${port}/guards/v1/check`));
    const env = { ...box.env, HOOKMACHINE_TOKEN: 'x' };
    expect((await fire({ ...box, env })).stdout).toContain('by the server');
  });

  it('is left to the host without a word if it posts to the user’s own serve', async () => {
    const box = sandbox();
    const env = { ...box.env, XDG_STATE_HOME: join(box.folder, 'state') };
    box.write('state/hookmachine/serve/port', '20001\n');
    box.write('home/.claude/settings.json', guard('http://127.0.0.1:20001/claude-code'));
    expect(await fire({ ...box, env })).toMatchObject({ stderr: '', exitCode: 0 });
  });

  it('S-10: denies if it posts to somebody else’s serve and a failure denies', async () => {
    const box = sandbox();
    box.write(box.own.user, { defaultOnFailure: 'block' });
    box.write('home/.claude/settings.json', guard('http://localhost:20001/claude-code/PreToolUse'));
    expect(await fire(box)).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining('not yours'),
    });
  });
});

it('hooks that stand in the manifest of a plugin of Claude Code judge', async () => {
  const box = sandbox();
  box.write('home/.claude/settings.json', { enabledPlugins: { 'one@two': true } });
  box.write('home/.claude/plugins/installed_plugins.json', {
    plugins: { 'one@two': [{ installPath: join(box.home, 'plugin') }] },
  });
  const hooks = hookAt('PreToolUse', 'echo by the plugin >&2; exit 2');
  box.write('home/plugin/.claude-plugin/plugin.json', { name: 'one', ...hooks });
  expect((await fire(box)).stdout).toContain('by the plugin');
});
