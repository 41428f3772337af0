import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { author, bundleIn, guardFiles } from '../support/bundle.ts';
import { isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { noServer } from './postgres.ts';
import { type Scene, toolCommand } from './scene.ts';

const by = author();
const missing =
  noServer ?? (isInstalled ? undefined : 'pg is not installed: npm ci --prefix test/durable');

describe.skipIf(missing !== undefined)('a policy of the database', () => {
  const own = ownServer();

  /** A project without hooks, on a machine whose administrator and user trust an author. */
  async function make() {
    const scene = await own.make({});
    const home = dirname(scene.project);
    const systemFolder = join(home, 'etc');
    for (const folder of [join(systemFolder, 'hookmachine'), join(home, '.hookmachine')]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'allowed_signers'), by.line);
    }
    const made = (version: string, files = guardFiles()) =>
      bundleIn(join(home, version), by, files, { version });
    const policy = async (...args: readonly string[]) => {
      const { exitCode, stdout, stderr } = await scene.run('durable', 'policy', ...args);
      return { exitCode, stdout, stderr };
    };
    const used = async (version: string, files?: ReturnType<typeof guardFiles>): Promise<void> => {
      expect(await policy('push', made(version, files))).toMatchObject({ exitCode: 0 });
      expect(await policy('use', `guards@${version}`)).toMatchObject({ exitCode: 0, stderr: '' });
    };
    const brought = (): string => {
      const fleets = join(home, '.hookmachine/fleets');
      const folder = join(fleets, readdirSync(fleets)[0]!);
      return join(
        folder,
        readdirSync(folder).find((name) => name.startsWith('guards-'))!,
      );
    };
    return { scene, home, systemFolder, made, policy, used, brought };
  }

  let made = 0;
  /** Returns what a host decides about a call with a secret, in a word or two. */
  const judged = async (host: Awaited<ReturnType<Scene['connect']>>, content = 'secret') => {
    const input = { file_path: 'a.txt', content };
    const outcome = await host.call({ id: `c-${++made}`, name: 'write_file', input });
    if (outcome.status === 'suspended') return 'waits';
    const { error, llmContent } = outcome.toolResult;
    return error ? `${outcome.status}: ${error.type}: ${error.message}` : outcome.status && llmContent; // prettier-ignore
  };

  test.skipIf(!isWhole)(
    'a policy of the database judges the calls of every host from the next one on, until another one is used or none is',
    async () => {
      const { scene, systemFolder, made: bundle, policy, used, home } = await make();
      const host = await scene.connect({ systemFolder });
      expect(await policy('push', bundleIn(join(home, 'unsigned'), undefined))).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('is not signed'),
      });
      const pushed = await policy('push', bundle('1.0.0'), '--as', 'ann');
      expect([pushed.exitCode, pushed.stdout]).toEqual([
        0,
        expect.stringMatching(
          /guards 1\.0\.0, signed by security@acme\.example, was pushed; 2 of its tests passed\nto use it: hookmachine durable policy use guards@1\.0\.0$/,
        ),
      ]);
      expect(await judged(host)).toContain('Successfully');
      expect(await policy('use', 'guards@1.0.0', '--as', 'ann')).toMatchObject({ exitCode: 0 });
      expect(await judged(host)).toContain('Guarded.');
      expect(await judged(host, 'harmless')).toContain('Successfully');
      await used('1.1.0', { ...guardFiles(), 'guard.sh': guardFiles()['guard.sh']!.replace('Guarded.', 'Guarded anew.') }); // prettier-ignore
      const other = await scene.connect({ systemFolder, enableHooks: 'system' });
      for (const one of [host, other]) expect(await judged(one)).toContain('Guarded anew.');

      const again = bundleIn(join(home, 'again'), by, { ...guardFiles(), more: 'x' }, { version: '1.1.0' }); // prettier-ignore
      for (const [args, stderr] of [
        [['push', again], 'Another guards 1.1.0 was pushed'],
        [['use', 'guards@3.0.0'], 'There is no policy guards 3.0.0'],
        [['use', 'guards'], 'say which version'],
        [['show', 'other'], 'there is no policy other'],
      ] as const)
        expect(await policy(...args)).toMatchObject({
          exitCode: 1,
          stderr: expect.stringContaining(stderr),
        });
      expect((await policy('list')).stdout).toMatch(
        /^guards@1\.1\.0 {2}used .*\nguards@1\.0\.0 {2}not used {2}signed by security@acme\.example, pushed by ann \(role postgres\) at .*$/,
      );
      const { stdout: shown } = await policy('show', 'guards@1.0.0', '--json');
      expect(JSON.parse(shown)).toMatchObject({
        version: '1.0.0',
        isUsed: false,
        settings: guardFiles()['settings.json'],
        files: expect.arrayContaining([expect.objectContaining({ path: 'guard.sh', mode: '755' })]),
        uses: [{ version: '1.0.0', by: 'ann', role: 'postgres' }, { version: '1.1.0' }],
      });
      expect(await policy('use', 'guards@none')).toMatchObject({ exitCode: 0 });
      for (const one of [host, other]) expect(await judged(one)).toContain('Successfully');
    },
  );

  test('a policy that a host cannot use, or that was changed, keeps every call there from running', async () => {
    const { scene, systemFolder, used, brought, home } = await make();
    await used('1.0.0');
    const unusable = 'blocked: policy_unusable: Blocked: The policies of this database cannot be used by this host: '; // prettier-ignore
    const bundle = 'guards 1.0.0 ';
    const trustsNobody = await scene.connect({ systemFolder: join(home, 'nothing') });
    expect(await judged(trustsNobody, 'harmless')).toMatch(
      new RegExp(`^${unusable}${bundle}is signed with the key .*, which is not trusted here`),
    );
    const off = await scene.connect({ systemFolder, enableHooks: false });
    expect(await judged(off, 'harmless')).toBe(
      `${unusable}its config runs no hooks in the format of hookmachine`,
    );
    const host = await scene.connect({ systemFolder });
    expect(await judged(host)).toContain('Guarded.');

    const folder = brought();
    appendFileSync(join(folder, 'guard.sh'), 'exit 0\n');
    expect(await judged(host, 'harmless')).toContain('its bundle is not as it was signed');
    rmSync(folder, { recursive: true });
    expect(await judged(host, 'harmless')).toMatch(/^blocked: /);
    // A host that joins installs the bundle again.
    const next = await scene.connect({ systemFolder });
    expect(await judged(next)).toContain('Guarded.');
    expect(await judged(next, 'harmless')).toContain('Successfully');

    // Write access to the database must not decide what runs.
    await scene.query(
      `update hookmachine.bundle_files set bytes = '#!/bin/sh' where path = 'guard.sh'`,
    );
    const late = await scene.connect({ systemFolder });
    expect(await judged(late, 'harmless')).toBe(
      `${unusable}${bundle}was changed after it was signed: guard.sh is different; get it again, from its author or with hookmachine policy update`,
    );
    await scene.query(
      `update hookmachine.bundle_files set path = '../../escaped' where path = 'guard.sh'`,
    );
    expect(await judged(late, 'harmless')).toContain(`${unusable}${bundle}was changed`);
    expect(readdirSync(join(home, '.hookmachine'))).toEqual(['allowed_signers', 'fleets']);
  });

  test("a pushed policy cannot loosen the administrator's guards, and nothing of users and projects can loosen the policy", async () => {
    const { scene, systemFolder, used, home } = await make();
    // The administrator's own guard, beside a policy that tries to switch it off and to allow.
    const command = 'grep -q harmless || exit 0; echo Managed. >&2; exit 2';
    const hooks = { 'tool.before': [{ hooks: [{ type: 'command', name: 'managed', command }] }] };
    writeFileSync(join(systemFolder, 'hookmachine/settings.json'), JSON.stringify({ hooks }));
    const { 'settings.json': guarding, 'guard.sh': guard, 'guard.hooktest.yaml': tests } = guardFiles(); // prettier-ignore
    const hooksConfig = { enabled: false, disabled: ['managed', 'guard'] };
    await used('1.0.0', {
      ...guardFiles(),
      'settings.json': JSON.stringify({ ...JSON.parse(guarding!), hooksConfig }),
      'guard.sh': guard!.replace('exit 0', `{ echo '{"decision":"allow"}'; exit 0; }`),
      'guard.hooktest.yaml': tests!.replace('decision: none', 'decision: allow'),
    });
    for (const folder of [scene.project, home])
      writeFileSync(
        join(folder, '.hookmachine/settings.json'),
        JSON.stringify({ hooksConfig: { ...hooksConfig, defaultOnFailure: 'allow' } }),
      );
    const host = await scene.connect({ systemFolder });
    expect(await judged(host, 'harmless')).toContain('Managed.');
    expect(await judged(host)).toContain('Guarded.');
    expect(await judged(host, 'other')).toContain('Successfully');
  });

  test.skipIf(!isWhole)(
    'calls that wait in tables without policies continue after the tables are migrated',
    async () => {
      const { scene, used } = await make();
      scene.setHooks({ 'tool.before': { guard: { decision: 'ask' } } });
      expect((await scene.call()).exitCode).toBe(3);
      await scene.takeBackTo(1);
      expect(await scene.call('c-other')).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('is at version 1, but this release needs 6; run: hookmachine durable migrate'), // prettier-ignore
      });
      expect((await scene.run('durable', 'migrate')).stdout).toBe(
        'the tables went from version 1 to 6',
      );
      await used('1.0.0');
      await scene.query(`update hookmachine.bundle_uses set digest = null`);
      const { approvals } = await scene.records();
      const [approval] = await approvals.list();
      await approvals.answer(approval!.id, { decision: 'approve', by: 'ann' });
      await scene.work();
      const outcome = await (await scene.records()).outcome('c-1', { wait: true });
      expect(outcome).toMatchObject({ status: 'done', toolInput: { command: toolCommand } });
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 1]);
    },
  );
});
