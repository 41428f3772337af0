import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { execa } from 'execa';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumPath } from '../watch/inspector/chromium.ts';
import { openPage, startBrowser } from '../watch/inspector/browser.ts';
import { waitUntil } from '../support/until.ts';
import { ask, operate, person } from './hub-people.ts';
import { isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { noPooler, Pooler } from './pooler.ts';
import { freePort, noServer } from './postgres.ts';
import { serveProvider } from './provider.ts';
import { asking, type Hooks, toolCommand, type Scene } from './scene.ts';

const allowing: Hooks = { 'tool.before': { guard: {} }, 'tool.after': { audit: {} } };

const tool = { name: 'run_shell_command', input: { command: toolCommand } };

/** Serves a hub on a port that another one can take over, and has the hosts of a scene join it. */
async function served(scene: Scene) {
  const port = String(await freePort());
  const hub = scene.serveHub(port);
  await hub.url;
  await scene.joinHub(port);
  return { port, hub };
}

describe.skipIf(noServer !== undefined || !isInstalled)('a hub', () => {
  const own = ownServer();

  test('a machine without access to the database makes calls, and a person approves them by name', async () => {
    const scene = await own.make();
    const url = await scene.serveHub().url;
    const ann = await person(scene, 'ann', 'answers laptop-*');
    const invited = await operate(scene, 'machines', 'invite', 'laptop-7');
    const [code = ''] = invited.split('\n');

    const machine = scene.user('machine');
    const joined = await machine.run('hub', 'join', url, '--code', code);
    expect(joined.stdout).toContain('this machine is laptop-7, with calls of laptop-7:*');
    expect((await machine.run('hub', 'join', url, '--code', code)).stderr).toContain('was used');
    const call = () => machine.run('call', tool.name, '--input', JSON.stringify(tool.input), '--id', 'c-1'); // prettier-ignore
    expect((await call()).exitCode).toBe(3);
    const itself = await machine.run('approvals', 'answer', 'ap-1', 'approve', '--as', 'ann');
    expect([itself.exitCode, itself.stderr]).toEqual([1, expect.stringContaining('a machine approves nothing')]); // prettier-ignore

    const other = scene.user('ann');
    await other.run({ input: ann }, 'hub', 'login', url);
    expect((await other.run('approvals', 'list')).stdout).toMatch(/^ap-1 {2}run_shell_command/);
    // Whatever name is given: the hub knows who it is.
    const answered = await other.run('approvals', 'answer', 'ap-1', 'approve', '--as', 'zoe');
    expect(answered.stdout).toBe('{"accepted":true}');

    expect((await call()).exitCode).toBe(0);
    expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 1]);
    expect((await machine.run('durable', 'audit', 'c-1')).stdout).toContain('approved by ann (known to the hub)'); // prettier-ignore
    const kept = readFileSync(join(machine.home, '.hookmachine/hub.json'), 'utf8');
    expect(kept).not.toContain('postgres');
    expect((await machine.run('hub', 'renew')).stdout).toContain('laptop-7 has another token');
    const renewed = readFileSync(join(machine.home, '.hookmachine/hub.json'), 'utf8');
    expect(renewed).not.toBe(kept);
    // The old token is in force for a little longer, should the answer have been lost.
    await scene.query(
      `update hookmachine.tokens set expires_at = now() where expires_at < now() + interval '11 minutes'`,
    );
    const { token } = JSON.parse(kept) as { token: string };
    await waitUntil(async () => (await ask({ url, token }, 'lastBundleUse')).status === 401);
    const whoami = JSON.parse((await machine.run('hub', 'whoami', '--json')).stdout) as object;
    expect(whoami).toEqual({ machine: { hub: url, name: 'laptop-7', workspaces: ['laptop-7:*'] } });
  });

  test.skipIf(!isWhole || spawnSync('openssl', ['version']).status !== 0)(
    'encrypts, takes a renewed certificate without a restart, and sends no token over a network in clear text',
    async () => {
      const scene = await own.make(allowing);
      const [key, cert] = [join(scene.project, 'hub.key'), join(scene.project, 'hub.crt')];
      const certify = () =>
        execa('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']); // prettier-ignore
      await certify();
      const tls = ['--host', '0.0.0.0', '--tls-key', key, '--tls-cert', cert];
      const { host, url: serving } = scene.serveHub('0', scene.url, ...tls);
      const url = await serving;
      const invited = await operate(scene, 'machines', 'invite', 'm', '--workspace', 'w');
      const machine = scene.user('machine');
      const joining = (...more: readonly string[]) =>
        machine.run('hub', 'join', url, '--code', invited.split('\n')[0]!, ...more);
      expect((await joining()).stderr).toContain('cannot be reached');
      expect((await joining('--ca', cert)).stdout).toContain('this machine is m');
      const seen = () =>
        new Promise<string>((resolve, reject) => {
          const port = Number(new URL(url).port);
          const socket = connect({ port, host: 'localhost', rejectUnauthorized: false }, () => {
            resolve(socket.getPeerCertificate().fingerprint256);
            socket.destroy();
          }).on('error', reject);
        });
      const before = await seen();
      await certify();
      host.kill('SIGHUP');
      await waitUntil(async () => (await seen()) !== before);
      const clear = await scene.run('hub', 'serve', '--port', '0', '--host', '0.0.0.0');
      expect([clear.exitCode, clear.stderr]).toEqual([1, expect.stringContaining('unencrypted')]);
    },
  );

  describe.skipIf(!isWhole)('that dies', () => {
    test('within the lease of its hosts changes nothing', async () => {
      const scene = await own.make(allowing);
      const { port, hub } = await served(scene);
      scene.hold('guard');
      const call = scene.call();
      await waitUntil(() => scene.starts('guard') === 1);
      hub.host.kill('SIGKILL');
      await hub.host;
      const second = scene.serveHub(port);
      await second.url;
      scene.release('guard');
      expect((await call).exitCode).toBe(0);
      expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([1, 1, 1]); // prettier-ignore
    });

    test('for longer than the lease of a host has the call asked about once it is back', async () => {
      const scene = await own.make(allowing);
      const { port, hub } = await served(scene);
      scene.hold('guard');
      const call = scene.call('c-1', '--lost-after', '1s');
      await waitUntil(() => scene.starts('guard') === 1);
      hub.host.kill('SIGKILL');
      await hub.host;
      let said = '';
      call.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await waitUntil(() => said.includes('was lost'));
      await scene.serveHub(port).url;
      expect((await call).exitCode).toBe(3);
      scene.release('guard');
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 0]);
      expect((await (await scene.records()).approvals.list())[0]?.reason).toContain('was cut off');
    });

    test('before a call blocks it', async () => {
      const scene = await own.make(allowing);
      const { hub } = await served(scene);
      hub.host.kill('SIGKILL');
      await hub.host;
      const { exitCode, stdout } = await scene.call();
      expect([exitCode, stdout]).toEqual([2, expect.stringContaining('cannot be reached')]);
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([0, 0]);
    });
  });

  describe.skipIf(!isWhole || noPooler !== undefined)(
    noPooler === undefined ? 'behind a pooler' : `behind a pooler (skipped: ${noPooler})`,
    () => {
      test.each(['session', 'transaction'] as const)(
        'in %s mode keeps the calls of hosts that live with them, and passes on what is new',
        async (mode) => {
          const scene = await own.make(allowing);
          const pooler = await Pooler.start(own.server, mode, 12);
          onTestFinished(() => pooler.end());
          const hub = await scene.joinHub('0', pooler.url(new URL(scene.url).pathname.slice(1)));
          const caller = await scene.connect({}, { lostAfter: 1_000 });
          await scene.work({ lostAfter: 1_000 });
          scene.hold('guard');
          const ids = ['c-0', 'c-1', 'c-2', 'c-3', 'c-4'];
          const called = ids.map((id) => caller.call({ id, ...tool }));
          await waitUntil(() => scene.starts('guard') === ids.length);
          const seen = async () =>
            (await scene.query('select min(seen_at)::text as seen from hookmachine.hosts'))[0]!['seen']; // prettier-ignore
          for (let times = 0, last = await seen(); times < 6; times += 1)
            last = await waitUntil(async () => {
              const now = await seen();
              return now === last ? undefined : now;
            });
          scene.release('guard');
          const outcomes = await Promise.all(called);
          expect(outcomes.map(({ status }) => status)).toEqual(ids.map(() => 'done'));
          expect([scene.starts('guard'), scene.starts('tool')]).toEqual([5, 5]);
          const through = await own.installed.durable.openHub(hub);
          onTestFinished(() => through.close());
          await through.submit({ id: 'c-9', workspace: 'w', ...tool });
          expect(await through.outcome('c-9', { wait: true })).toMatchObject({ status: 'done' });
        },
      );
    },
  );

  test.skipIf(!isWhole)('serves many hosts with few connections to the database', async () => {
    const scene = await own.make(allowing);
    const { url } = await scene.joinHub();
    const health = await Promise.all(['livez', 'readyz'].map(async (path) => (await fetch(`${url}/${path}`)).text())); // prettier-ignore
    expect(health).toEqual(['alive\n', 'ready\n']);
    const hosts = await Promise.all(Array.from({ length: 60 }, () => scene.work()));
    const outcomes = await Promise.all(
      hosts.map((host, index) => host.call({ id: `own-${index}`, ...tool })),
    );
    expect(outcomes.filter(({ status }) => status !== 'done')).toEqual([]);
    const connections = await scene.query(
      `select from pg_stat_activity where application_name like 'hookmachine %' and datname = current_database()`,
    );
    expect(connections.length).toBeLessThanOrEqual(11);
    // All of them are told of a call that somebody submits, and one takes it.
    const records = await scene.records();
    await records.submit({ id: 'new', workspace: 'w', ...tool });
    expect(await records.outcome('new', { wait: true })).toMatchObject({ status: 'done' });
  });

  test.skipIf(!isWhole)(
    'refuses tokens that were revoked, have expired, were used, or were never given',
    async () => {
      const scene = await own.make(allowing);
      const hub = await scene.joinHub();
      expect((await scene.call()).exitCode).toBe(0);
      const enrol = (code: string) =>
        fetch(`${hub.url}/v1/enrol`, { method: 'POST', body: JSON.stringify({ code }) });
      const late = JSON.parse(
        await operate(scene, 'machines', 'invite', 'late', '--lasts', '1ms', '--json'),
      ) as { code: string };
      const statuses = await Promise.all(
        [late.code, 'hmi_guessed', hub.token, ''].map(async (code) => (await enrol(code)).status),
      );
      expect(statuses).toEqual([403, 403, 403, 403]);
      // An invitation is not a token, and neither is its digest.
      for (const token of [late.code, 'hmm_guessed', '']) {
        const asked = await ask({ url: hub.url, token }, 'lastBundleUse');
        expect([asked.status, asked.message]).toEqual([401, expect.stringContaining('does not know this token')]); // prettier-ignore
      }
      // Of two machines that use one invitation at the same moment, one joins.
      const { code } = JSON.parse(
        await operate(scene, 'machines', 'invite', 'm-2', '--workspace', 'w', '--json'),
      ) as { code: string };
      const raced = await Promise.all(Array.from({ length: 5 }, () => enrol(code)));
      expect(raced.filter(({ ok }) => ok)).toHaveLength(1);

      const host = await scene.connect({}, { lostAfter: 1_500 });
      await operate(scene, 'machines', 'revoke', 'm');
      await waitUntil(async () => (await ask(hub, 'lastBundleUse')).status === 401);
      const refused = await scene.call('c-2');
      expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('was revoked')]); // prettier-ignore
      await waitUntil(() => !host.hasLease);
      expect(await host.call({ id: 'c-3', ...tool })).toMatchObject({ status: 'blocked' });
      expect(scene.starts('tool')).toBe(1);

      const ann = await person(scene, 'ann', 'answers w');
      expect((await ask({ url: hub.url, token: ann }, 'approvals', { limit: 1, newestFirst: false })).status).toBe(200); // prettier-ignore
      await operate(scene, 'people', 'remove', 'ann');
      await waitUntil(async () => (await ask({ url: hub.url, token: ann }, 'lastBundleUse')).status === 401); // prettier-ignore
    },
  );

  test.skipIf(!isWhole)(
    'approves nothing for an agent that has everything its machine can read',
    async () => {
      const scene = await own.make();
      const { url } = await scene.joinHub();
      const { code } = JSON.parse(
        await operate(scene, 'machines', 'invite', 'evil', '--workspace', 'evil', '--json'),
      ) as { code: string };
      const response = await fetch(`${url}/v1/enrol`, { method: 'POST', body: JSON.stringify({ code }) }); // prettier-ignore
      const { value } = (await response.json()) as { value: { token: string } };
      const evil = { url, token: value.token };
      const mine = { url, token: scene.hubToken };
      expect((await scene.call()).exitCode).toBe(3);
      const [row] = await scene.query(`select * from hookmachine.calls where id = 'c-1'`);
      const lease = { call: 'c-1', number: row!['lease'], host: 'evil/h' };
      const id = '00000000-0000-4000-8000-000000000000';
      const outcome = JSON.stringify({ status: 'done' });
      const attempts: readonly (readonly [typeof mine, string, ...unknown[]])[] = [
        // The machine whose call it is approves nothing, under whatever name.
        [mine, 'answerApproval', '1', { decision: 'approved', by: 'ann' }],
        [mine, 'answerApproval', '1', { decision: 'approved', by: 'ann', through: 'hub' }],
        [mine, 'answerApproval', '1 or true', { decision: 'denied', by: 'ann' }],
        [mine, 'handOver', 'c-1', 'run_shell_command'],
        [mine, 'keepPolicy', { ...lease, host: 'm/h' }, { digest: 'x', hooks: '[]' }, 'policy = 1'],
        [mine, 'joinHost', { name: 'evil/h', workspace: 'w', lostAfter: 1, instance: id, pid: 1 }],
        [mine, 'migrate'],
        [mine, 'constructor'],
        [mine, 'approvals', { limit: 1e9, newestFirst: false }],
        // Another machine neither reads nor changes it.
        [evil, 'findCall', 'c-1'],
        [evil, 'effectsOf', 'c-1'],
        [evil, 'end', lease, outcome],
        [evil, 'letGo', lease],
        [evil, 'recordEffect', lease, 'tool', outcome],
        [evil, 'claimEffect', lease, 'evil', 'tool', id, 1],
        [evil, 'suspend', lease, { judged: '{}', shown: '{}', asked: '{}', expiresAfter: 1 }],
        [evil, 'answerApproval', '1', { decision: 'withdrawn', by: 'ann' }],
        [evil, 'markTold', '1'],
        [evil, 'takeReady', 'w', 'evil/h', 'c-1'],
        [evil, 'takeReady', 'evil', 'm/h'],
        [evil, 'takeOverHost', 'w', 'm/h'],
        [evil, 'leaveHost', 'm/h', id],
        [evil, 'submit', { id: 'x', workspace: 'w', tool: 't', input: '{}', isCallers: false }],
        [evil, 'handOver', 'c-1', 'run_shell_command', outcome],
      ];
      for (const [who, name, ...given] of attempts) {
        const { status, message } = await ask(who, name, ...given);
        expect([name, given, status, message]).toEqual([name, given, expect.toBeOneOf([403, 422]), expect.not.stringMatching(/select|update/)]); // prettier-ignore
      }
      expect((await ask(evil, 'approval', '1')).value).toBeUndefined();
      expect((await ask(evil, 'approvalOf', 'c-1')).value).toBeUndefined();
      expect((await ask(evil, 'findLast', 'c-1')).value).toBeUndefined();
      const page = { limit: 10, newestFirst: false, within: ['*'] };
      expect((await ask(evil, 'approvals', page)).value).toEqual([]);
      expect((await ask(evil, 'countApprovals', { workspace: 'w' })).value).toBe(0);
      expect((await ask(evil, 'metrics')).value).toEqual([]);
      // A machine can deny, and what it says of who did so is marked as its own word.
      expect(await scene.query('select * from hookmachine.calls')).toEqual([row]);
      const denial = { decision: 'denied', by: 'ann', edited: '{}', through: 'hub' };
      expect((await ask(mine, 'answerApproval', '1', denial)).value).toEqual({ isAccepted: true });
      const { answer } = await (await scene.records()).approvals.show('ap-1');
      expect(answer).toEqual({ decision: 'denied', by: 'ann (m)', role: 'postgres', at: expect.any(Date) }); // prettier-ignore
      expect((await scene.call()).exitCode).toBe(2);
      expect(scene.starts('tool')).toBe(0);
    },
  );

  test.skipIf(!isWhole)(
    'counts one answer of two people who answer at once, and lets owners approve nothing of their own and those who only see answer nothing',
    async () => {
      const scene = await own.make();
      const { url } = await scene.joinHub();
      const [ann, ben, eve] = await Promise.all([
        person(scene, 'ann', 'answers w'),
        person(scene, 'ben', 'answers w*'),
        person(scene, 'eve', 'sees *'),
      ]);
      const host = await scene.connect();
      const ids = Array.from({ length: 10 }, (_, index) => `c-${index}`);
      await Promise.all(ids.map((id) => host.call({ id, ...tool })));
      const open = (token: string) => own.installed.durable.openHub({ url, token });
      const [one, other, third] = await Promise.all([open(ann), open(ben), open(eve)]);
      onTestFinished(async () => void (await Promise.all([one, other, third].map((each) => each.close())))); // prettier-ignore
      const questions = await one.approvals.list();
      expect(questions).toHaveLength(10);
      const answers = await Promise.all(
        questions.flatMap(({ id, digest }) =>
          [one, other].map(({ approvals }, at) =>
            approvals.answer(id, { decision: at === 0 ? 'approve' : 'deny', by: 'me', digest }),
          ),
        ),
      );
      expect(answers.filter(({ accepted }) => accepted)).toHaveLength(10);
      const seen = await third.approvals.list({ all: true });
      expect(new Set(seen.map(({ answer }) => answer!.by))).toEqual(new Set(['ann', 'ben'].filter((name) => seen.some(({ answer }) => answer!.by === name)))); // prettier-ignore
      expect(seen.map(({ shown }) => shown).join('')).not.toContain(toolCommand);
      await expect(third.approvals.list({ search: 'echo', all: true })).resolves.toEqual([]);
      await host.call({ id: 'last', ...tool });
      const [last] = await third.approvals.list();
      await expect(third.approvals.answer(last!.id, { decision: 'deny', by: 'eve' })).rejects.toThrow('eve may not answer'); // prettier-ignore
      // A machine that has become somebody's own.
      await scene.query(`update hookmachine.machines set owner = 'ben'`);
      await expect(other.approvals.answer(last!.id, { decision: 'approve', by: 'ann' })).rejects.toThrow('ben may not approve a call of their own machine'); // prettier-ignore
      await expect(third.audit('last')).rejects.toThrow('those who may answer');
    },
  );

  describe.skipIf(!isWhole || chromiumPath === undefined)('in a browser', () => {
    beforeAll(startBrowser);

    test('lets people sign in with their account and answer, shows markup as text, and takes no form of another site', async () => {
      const scene = await own.make();
      const markup = `<img src=x onerror="document.title='hit'">`;
      scene.setHooks({ 'tool.before': { guard: { decision: 'ask', reason: markup } }, 'tool.after': { audit: {} } }); // prettier-ignore
      const port = String(await freePort());
      const provider = await serveProvider(`http://127.0.0.1:${port}/sign-in/callback`);
      const { url } = await scene.joinHub(port, scene.url, ...provider.options);
      await person(scene, 'ann', 'answers w');
      await scene.call();

      const page = await openPage(`${url}/approvals/ap-1`, {
        // The pages of the provider ask for a font.
        elsewhere: /^https:\/\/fonts\./,
        expected: /40[349]|ERR_NAME_NOT_RESOLVED/,
      });
      await page.getByRole('link', { name: 'Sign in with your account' }).click();
      await provider.signIn(page, 'ann@example.com');
      await page.waitForURL(`${url}/approvals/ap-1`);
      expect(await page.locator('pre').textContent()).toContain(toolCommand);
      expect(await page.locator('main').textContent()).toContain(markup);
      expect(await page.locator('main img').count()).toBe(0);

      // The same form from elsewhere, with the cookie or without it.
      const cookies = await page.context().cookies();
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
      const body = new URLSearchParams({ decision: 'approve', digest: '' });
      const post = (headers: Record<string, string>) =>
        fetch(`${url}/approvals/ap-1`, { method: 'POST', body, headers, redirect: 'manual' });
      const refused = await Promise.all([
        post({ cookie }),
        post({ cookie, origin: 'https://evil.example' }),
        post({ origin: url }),
        // The digest of other arguments.
        post({ cookie, origin: url }),
      ]);
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 409]);

      await page.getByLabel(/^Note/).fill('fine');
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('approved by ann').waitFor();
      expect((await scene.call()).exitCode).toBe(0);
      await scene.call('c-2');
      await page.goto(`${url}/approvals/ap-2`);
      await page.getByText('Approve other arguments').click();
      await page.getByLabel(/^As a JSON object/).fill('[1]');
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('The arguments are not a JSON object').waitFor();
      await page.getByText('Approve other arguments').click();
      await page
        .getByLabel(/^As a JSON object/)
        .fill(JSON.stringify({ command: `${toolCommand} # edited` }));
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('approved by ann').waitFor();
      expect((await scene.call('c-2')).stdout).toContain('# edited');
      await page.getByRole('link', { name: 'Machines' }).click();
      expect(await page.locator('tbody').textContent()).toContain('enrolled');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect((await fetch(`${url}/machines`, { headers: { cookie } }).then((found) => found.text()))).toContain('Sign in'); // prettier-ignore

      // Whom the provider knows, but not the hub, sees nothing.
      await page.context().clearCookies();
      await page.goto(`${url}/?to=//evil.example`);
      await page.getByRole('link', { name: 'Sign in with your account' }).click();
      await provider.signIn(page, 'eve@example.com');
      await page.getByText('This hub does not know eve@example.com').waitFor();
    });

    test('lets a person sign in with a token, and leads to no other site', async () => {
      const scene = await own.make(asking);
      const { url, token } = await scene.joinHub();
      const eve = await person(scene, 'eve', 'sees w');
      await scene.call();
      const page = await openPage(url, { expected: /403/ });
      await page.getByLabel(/^Token/).fill(token);
      await page.getByRole('button').click();
      await page.getByRole('alert').waitFor();
      await page.getByLabel(/^Token/).fill(eve);
      await page.locator('input[name=to]').evaluate('(input) => (input.value = "//evil.example/")'); // prettier-ignore
      await page.getByRole('button').click();
      await page.getByRole('link', { name: 'ap-1' }).click();
      expect(new URL(page.url()).origin).toBe(url);
      expect(await page.locator('main').textContent()).toContain('You may not answer questions of this workspace'); // prettier-ignore
      expect(await page.locator('pre').textContent()).not.toContain(toolCommand);
      expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);

      // Whoever administers what a machine works on revokes it, and nobody else.
      await page.getByRole('link', { name: 'Machines' }).click();
      expect(await page.getByText('Revoke').count()).toBe(0);
      const [cookie] = await page.context().cookies();
      const headers = { cookie: `${cookie!.name}=${cookie!.value}`, origin: url };
      const revoke = () => fetch(`${url}/machines/m/revoke`, { method: 'POST', headers, redirect: 'manual' }); // prettier-ignore
      expect((await revoke()).status).toBe(403);
      await operate(scene, 'people', 'grant', 'eve', 'administers', 'w');
      await waitUntil(async () => (await ask({ url, token }, 'lastBundleUse')).status === 200);
      expect((await revoke()).status).toBe(403);
      await operate(scene, 'people', 'grant', 'eve', 'administers', '*');
      await waitUntil(async () => {
        await page.reload();
        return (await page.getByText('Revoke', { exact: true }).count()) > 0;
      });
      await page.getByText('Revoke', { exact: true }).click();
      await page.getByRole('button', { name: 'Revoke m' }).click();
      await page.getByText('revoked').waitFor();
      await waitUntil(async () => (await ask({ url, token }, 'lastBundleUse')).status === 401);
    });
  });
});
