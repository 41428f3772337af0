import { expect, test, vi } from 'vitest';
import { durableSettings } from '../../src/durable/settings.ts';
import { formatProblem } from '../../src/core/definitions/problem.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox } from '../support/sandbox.ts';

const durable = (settings: object) => ({ hooksConfig: { durable: settings } });

test("the system's settings of durable calls override the user's, and a project's are ignored", () => {
  const box = sandbox();
  vi.stubEnv('SOME_DATABASE', 'postgres://user@localhost/hooks');
  const { project, systemFolder } = box;
  expect(durableSettings({ systemFolder })).toEqual({ settings: {}, problems: [] });
  const user = { database: '$SOME_DATABASE', workspace: 'mine', expiresAfter: '12h' };
  box.write(box.own.user, durable(user));
  expect(durableSettings({ systemFolder })).toEqual({
    settings: { ...user, database: 'postgres://user@localhost/hooks', expiresAfter: 12 * 36e5 },
    problems: [],
  });
  box.write(box.own.system, durable({ database: 'postgresql://fleet/hooks', concurrency: 3 }));
  box.write(
    box.own.project,
    durable({ database: 'postgres://attacker/hooks', expiresAfter: '1s' }),
  );
  box.write(box.files.user, durable({ lostAfter: '1s' }));
  const read = durableSettings({ project, systemFolder });
  expect(read).toMatchObject({
    settings: { workspace: 'mine', database: 'postgresql://fleet/hooks', concurrency: 3 },
    systemDatabase: 'postgresql://fleet/hooks',
  });
  expect(read.settings.expiresAfter).toBe(12 * 36e5);
  expect(read.problems.map(formatProblem)).toEqual([
    expect.stringMatching(/project\/\.hookmachine\/settings\.json.*hooksConfig\.durable: counts only in the user's and the system's own settings/), // prettier-ignore
    expect.stringMatching(/\.llxprt\/settings\.json.*hooksConfig\.durable: counts only in/),
  ]);
});

test('each wrong setting of durable calls is reported with its place and its fix, and the others still count', async () => {
  const box = sandbox();
  box.write(
    box.own.user,
    durable({
      database: '$NOT_SET_ANYWHERE',
      workspaces: 'mine',
      expiresAfter: 7,
      lostAfter: '90s',
      concurrency: 0,
    }),
  );
  const { exitCode, stdout } = await inProcess(box, ['check']);
  expect(exitCode).toBe(1);
  for (const said of [
    'hooksConfig.durable.database: names the variable NOT_SET_ANYWHERE, which is not set, so it was ignored; set it',
    'hooksConfig.durable.workspaces: there is no such key, so it is ignored; write "workspace"',
    'hooksConfig.durable.expiresAfter: is 7, so it was ignored; write a time such as "7d", "12h", "30m" or "90s"',
    'hooksConfig.durable.concurrency: is 0, so it was ignored; make it a whole number of at least 1',
  ])
    expect(stdout).toContain(said);
  expect(durableSettings({ systemFolder: box.systemFolder }).settings).toEqual({
    lostAfter: 90_000,
  });
  const { stderr } = await inProcess(box, ['durable', 'check']);
  expect(stderr).toContain('hooksConfig.durable.database: names the variable NOT_SET_ANYWHERE');
  expect(stderr).toContain('HOOKMACHINE_DATABASE_URL is not set');
});
