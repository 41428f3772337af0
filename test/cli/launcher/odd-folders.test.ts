import { tmpdir } from 'node:os';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasEtcOfItsOwn, hookmachine } from '../../support/hookmachine.ts';
import { hookAt } from '../../support/own-hooks.ts';
import { sandbox } from '../../support/sandbox.ts';

const variables = ['HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'TMPDIR'];

const at = (names: readonly string[], place: string) =>
  Object.fromEntries(names.map((name) => [name, place]));

const call = JSON.stringify({
  session_id: 'one',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
});

/** Where a guard of the administrator's stands beside an untrusted project's hooks, which are reported. */
function guarded(auditFile?: string) {
  const box = sandbox();
  const guard = hookAt('tool.before', 'echo guarded >&2; exit 2');
  box.write(box.own.system, {
    ...guard,
    ...(auditFile !== undefined && { managed: { audit: { file: auditFile } } }),
  });
  box.write(box.own.project, hookAt('tool.before', 'exit 0'));
  return box;
}

const relayed = (box: ReturnType<typeof guarded>, env: Record<string, string>) =>
  hookmachine(
    { ...box, env: { ...box.env, HOOKMACHINE_TRUST: '', ...env } },
    ['relay', 'claude-code'],
    call,
  );

describe.skipIf(!hasEtcOfItsOwn)(
  'HOOK-110: wherever folders lead, the relay calls the guards of the administrator',
  () => {
    it.each<[name: string, env: Record<string, string>]>([
      ...variables.map((name): [string, Record<string, string>] => [
        name,
        at([name], '/proc/nope'),
      ]),
      ['all of them, in a file system of the kernel', at(variables, '/sys/nope')],
      ['all of them, in a device', at(variables, '/dev/full')],
      ['all of them, in a folder that is gone', at(variables, join(tmpdir(), 'gone/at/all'))],
    ])('%s', async (_, env) => {
      expect((await relayed(guarded(), env)).stdout).toMatch(/"deny".*guarded/s);
    });

    it('all of them, in a pipe that nobody writes to', async () => {
      const box = guarded();
      const fifo = join(box.folder, 'fifo');
      execFileSync('mkfifo', [fifo]);
      expect((await relayed(box, at(variables, fifo))).stdout).toMatch(/"deny".*guarded/s);
    });

    it.each(['/proc/nope/audit', '/dev/full', '/sys/audit'])(
      'the audit log in %s',
      async (file) => {
        const { stdout, stderr } = await relayed(guarded(file), {});
        expect(stdout).toMatch(/"deny".*guarded/s);
        expect(stderr).toContain('audit');
      },
    );
  },
);
