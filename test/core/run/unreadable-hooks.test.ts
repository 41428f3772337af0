import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeCodeWith } from '../../../src/hosts/claude-code/index.ts';
import { codexWith } from '../../../src/hosts/codex/index.ts';
import { copilotWith } from '../../../src/hosts/copilot/index.ts';
import { cursorWith } from '../../../src/hosts/cursor/index.ts';
import type { Dialect } from '../../../src/core/dialects/dialect.ts';
import { geminiCliWith } from '../../../src/hosts/gemini-cli/index.ts';
import { hookmachine } from '../../../src/hosts/hookmachine/index.ts';
import { llxprt } from '../../../src/hosts/llxprt/index.ts';
import { qwenCodeWith } from '../../../src/hosts/qwen-code/index.ts';
import { hasEtcOfItsOwn, hookmachine as command } from '../../support/hookmachine.ts';
import { inProcess } from '../../support/in-process.ts';
import { sessionIn } from '../../support/own-hooks.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';
import { someFields } from '../../support/session.ts';

interface Kind {
  /** The name of the event before a tool. */
  readonly before: string;
  /** The user's and the administrator's file. */
  readonly user: string;
  readonly system: string;
  readonly more?: object;
  readonly dialect: (system: string) => Dialect;
}

const kinds: Readonly<Record<string, Kind>> = {
  hookmachine: {
    before: 'tool.before',
    user: 'home/.hookmachine/settings.json',
    system: 'etc/hookmachine/settings.json',
    dialect: () => hookmachine,
  },
  llxprt: {
    before: 'BeforeTool',
    user: 'home/.llxprt/settings.json',
    system: 'etc/llxprt-code/settings.json',
    more: { enableHooks: true },
    dialect: () => llxprt,
  },
  'claude-code': {
    before: 'PreToolUse',
    user: 'home/.claude/settings.json',
    system: 'etc/claude/managed-settings.json',
    dialect: (system) => claudeCodeWith({ managed: join(system, '..') }),
  },
  'gemini-cli': {
    before: 'BeforeTool',
    user: 'home/.gemini/settings.json',
    system: 'etc/gemini/settings.json',
    dialect: (system) => geminiCliWith({ system }),
  },
  'qwen-code': {
    before: 'PreToolUse',
    user: 'home/.qwen/settings.json',
    system: 'etc/qwen/settings.json',
    dialect: (system) => qwenCodeWith({ system }),
  },
  codex: {
    before: 'PreToolUse',
    user: 'home/.codex/hooks.json',
    system: 'etc/codex/hooks.json',
    dialect: (system) => codexWith({ system: join(system, '..') }),
  },
  copilot: {
    before: 'preToolUse',
    user: 'home/.copilot/hooks/guards.json',
    system: 'etc/copilot/guards.json',
    more: { version: 1 },
    dialect: (system) => copilotWith({ policies: join(system, '..') }),
  },
  cursor: {
    before: 'preToolUse',
    user: 'home/.cursor/hooks.json',
    system: 'etc/cursor/hooks.json',
    more: { version: 1 },
    dialect: (system) => cursorWith({ enterprise: system }),
  },
};

/** Values of `hooks` in which a hook before tools may be meant that nobody can read. */
const unreadable = (before: string): readonly unknown[] => [
  [1],
  'x',
  7,
  true,
  { [before]: 7 },
  { [before]: {} },
  { [before]: [7] },
  { [before]: [[]] },
  { [before]: [{ hooks: [7] }] },
  { [before]: [{ hooks: [{ type: 'command' }] }] },
  { [before]: [{ hooks: [{ type: 'nothing', command: 'exit 2' }] }] },
];

const cases = Object.entries(kinds).flatMap(([name, kind]) =>
  unreadable(kind.before).map((hooks) => [name, JSON.stringify(hooks), kind, hooks] as const),
);

/** Fires an event before a tool, and returns whether it is denied. */
async function judged(box: Sandbox, kind: Kind) {
  const dialects = [kind.dialect(join(box.folder, kind.system))];
  const { fire, warnings, config } = sessionIn(box, { dialects });
  if (config.getHookSystem() === undefined) return { denies: false, reason: '', warnings };
  const { finalOutput } = await fire('BeforeTool', someFields.BeforeTool);
  return {
    denies: finalOutput?.isBlockingDecision() === true,
    reason: finalOutput?.getEffectiveReason() ?? '',
    warnings,
  };
}

describe.each(cases)('hooks that cannot be read: %s, %s', (_, __, kind, hooks) => {
  it('S-12: the administrator’s deny, and the reason names the file', async () => {
    const box = sandbox();
    const file = box.write(kind.system, { ...kind.more, hooks });
    const { denies, reason, warnings } = await judged(box, kind);
    expect({ denies, reason }).toEqual({ denies: true, reason: expect.stringContaining(file) });
    expect(warnings.join('\n')).toContain(file);
  });

  it('S-10: a user’s are reported, and deny if failures do', async () => {
    const box = sandbox();
    const file = box.write(kind.user, { ...kind.more, hooks });
    const open = await judged(box, kind);
    expect(open).toMatchObject({ denies: false });
    expect(open.warnings.join('\n')).toContain(file);
    const own = kind.user.includes('hookmachine') || kind.user.includes('llxprt');
    if (own) box.write(kind.user, { ...kind.more, hooks, defaultOnFailure: 'block' });
    else box.write(box.own.user, { defaultOnFailure: 'block' });
    expect(await judged(box, kind)).toMatchObject({
      denies: true,
      reason: expect.stringContaining(file),
    });
  });
});

const call = JSON.stringify({
  session_id: 'one',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
});

describe.each(['fire', 'relay'] as const)('hookmachine %s, where hooks cannot be read', (name) => {
  const args = {
    fire: ['fire', 'PreToolUse', '--dialect', 'claude-code'],
    relay: ['relay', 'codex'],
  };
  const run = (box: Partial<Sandbox> & Pick<Sandbox, 'project' | 'env'>) =>
    inProcess(box, args[name], call);

  it.each([7, { 'tool.before': 7 }, { 'tool.before': [{ hooks: ['exit 2'] }] }])(
    'S-10: reports %j in a user’s file and goes on',
    async (hooks) => {
      const { systemFolder: _, ...box } = sandbox();
      const file = box.write(box.own.user, { hooks });
      const { stderr, exitCode } = await run(box);
      expect({ stderr, exitCode }).toEqual({ stderr: expect.stringContaining(file), exitCode: 0 });
    },
  );

  it('S-12: denies for the administrator’s file', async () => {
    const box = sandbox();
    box.write(box.own.system, { hooks: [1], hooksConfig: { defaultOnFailure: 'block' } });
    const { stdout, stderr } = await run(box);
    expect(stdout).toMatch(/"deny".*settings\.json:1:10 hooks: is an array/);
    expect(stderr).toContain('no hook was read');
  });
});

const inSystem: Dialect['mayBeIn'] = (_, counts = () => true) => counts('system');
const inUser: Dialect['mayBeIn'] = (_, counts = () => true) => counts('user');
const somewhere: Dialect['mayBeIn'] = () => true;

const broken = (mayBeIn: Dialect['mayBeIn']): Dialect => ({
  ...claudeCodeWith(),
  name: 'broken',
  mayBeIn,
  find: () => Promise.reject(new Error('no parser')),
});

const fired = async (mayBeIn: Dialect['mayBeIn'], settings: object = {}) => {
  const box = sandbox();
  box.write(box.own.user, settings);
  const { fire, warnings } = sessionIn(box, { dialects: [hookmachine, broken(mayBeIn)] });
  const { finalOutput } = await fire('BeforeTool', someFields.BeforeTool);
  expect(warnings.join('\n')).toContain('the hooks of broken cannot be found (no parser)');
  return finalOutput?.isBlockingDecision() === true;
};

describe('the hooks of a dialect that cannot find them', () => {
  it.each<[string, Dialect['mayBeIn'], object, boolean]>([
    ['S-12: deny if the administrator has some', inSystem, {}, true],
    ['S-10: are reported if only a user has some', inUser, {}, false],
    ['S-10: deny if a failure denies', inUser, { defaultOnFailure: 'block' }, true],
    ['S-10: are reported if nobody knows who has some', somewhere, {}, false],
    [
      'S-10: deny wherever they are if a failure denies',
      somewhere,
      { defaultOnFailure: 'block' },
      true,
    ],
  ])('%s', async (_, mayBeIn, settings, denies) => {
    expect(await fired(mayBeIn, { hooks: { SessionEnd: [] }, ...settings })).toBe(denies);
  });
});

it('S-10: the other files of a dialect judge if one of them cannot be parsed', async () => {
  const box = sandbox();
  const guard = { hooks: [{ type: 'command', command: 'echo judged >&2; exit 2' }] };
  box.write('home/.codex/hooks.json', { hooks: { PreToolUse: [guard] } });
  const toml = box.write('home/.codex/config.toml', 'hooks = [');
  const { reason, warnings } = await judged(box, kinds['codex']!);
  expect(reason).toContain('judged');
  expect(warnings.join('\n')).toContain(toml);
  expect(reason).not.toContain(toml);
});

const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

it.skipIf(process.getuid?.() !== 0 || !hasEtcOfItsOwn)(
  'S-12: an administrator’s file that this user may not read denies',
  async () => {
    const box = sandbox();
    chmodSync(box.write(box.own.system, { hooks: {} }), 0o600);
    // Another user has to reach the project.
    for (const folder of [dirname(box.folder), box.folder]) chmodSync(folder, 0o711);
    const { stdout } = await command(box, ['relay', 'claude-code'], call, asNobody);
    expect(stdout).toMatch(/"deny".*settings\.json.*cannot be read \(EACCES\)/);
  },
);
