import { randomBytes } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { effectOperations } from '../../src/durable/database/effects.ts';
import type { Database } from '../../src/durable/database/postgres.ts';
import { waitUntil } from '../support/until.ts';
import { ask, operate, person } from './hub-people.ts';
import { isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { freePort, noServer } from './postgres.ts';
import { type Hooks, type Scene, toolCommand } from './scene.ts';

const allowing: Hooks = { 'tool.before': { guard: {} }, 'tool.after': { audit: {} } };

const tool = { name: 'run_shell_command', input: { command: toolCommand } };

/** A message that somebody was sent. */
interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Receives what a hub tells, until the test ends; refuses as often as it is told to. */
async function receiver(refusals = 0) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, text });
      response.writeHead(received.length <= refusals ? 503 : 200).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Receives mail, until the test ends. */
async function mailbox() {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _, done) {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        mails.push(text);
        done();
      });
    },
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  onTestFinished(() => server.close());
  return { mails, url: `smtp://127.0.0.1:${port}` };
}

/** Writes the settings of a hub, and returns the options that name them. */
const settingsOf = (scene: Scene, settings: object): readonly string[] => {
  const file = join(scene.project, 'hub.jsonc');
  writeFileSync(file, JSON.stringify(settings));
  return ['--settings', file];
};

/** A line of an audit log. */
const line = (at: string, decision = 'deny') =>
  `${JSON.stringify({ v: 1, at, host: 'laptop-7', user: 'ann', session: 's', version: '0.1.0', project: '/p', guards: 1, kind: 'call', machine: 'tool', name: 'tool', tool: 'write_file', status: 'blocked', ms: 1, events: [{ event: 'BeforeTool', decision, by: 'no-keys', reason: 'Keys stay out.', hooks: [] }] })}\n`; // prettier-ignore

describe.skipIf(noServer !== undefined || !isInstalled || !isWhole)('the work of a hub', () => {
  const own = ownServer();

  test('a question that needs two people is approved by the second one, denied by any, and both are recorded', async () => {
    const scene = await own.make();
    const options = settingsOf(scene, {
      approvers: [
        { workspaces: ['w'], tools: ['run_shell_*'], needs: 2 },
        { workspaces: ['elsewhere'], needs: 5 },
      ],
    });
    const { url } = await scene.joinHub('0', scene.url, ...options);
    const tokens = [
      await person(scene, 'ann', 'answers w'),
      await person(scene, 'ben', 'answers w --lasts 7d'),
      await person(scene, 'cleo', 'answers w --lasts 1ms'),
    ];
    const [ann, ben, cleo] = await Promise.all(
      tokens.map((token) => own.installed.durable.openHub({ url, token })),
    );
    onTestFinished(
      async () => void (await Promise.all([ann, ben, cleo].map((one) => one!.close()))),
    );
    const host = await scene.connect();
    await host.call({ id: 'c-1', ...tool });
    await host.call({ id: 'c-2', ...tool });
    const yes = { decision: 'approve', by: 'me' } as const;
    // Whoever's delegation has ended answers nothing.
    await expect(cleo!.approvals.answer('ap-1', yes)).rejects.toThrow('no approval');
    expect(await ann!.approvals.answer('ap-1', yes)).toEqual({ accepted: true, missing: 1 });
    expect(await ann!.approvals.answer('ap-1', yes)).toEqual({ accepted: true, missing: 1 });
    expect(await host.outcome('c-1')).toMatchObject({ status: 'suspended' });
    expect(await ben!.approvals.answer('ap-1', { ...yes, note: 'fine' })).toEqual({
      accepted: true,
    });
    expect((await ann!.approvals.show('ap-1')).answer).toMatchObject({
      decision: 'approved',
      by: 'ann, ben',
      note: 'fine',
      through: 'hub',
    });
    // Two who approve at the same moment are enough.
    await host.call({ id: 'c-3', ...tool });
    const both = await Promise.all([ann, ben].map((one) => one!.approvals.answer('ap-3', yes)));
    expect(both.filter((one) => 'missing' in one)).toHaveLength(1);
    await ann!.approvals.answer('ap-2', yes);
    expect(await ben!.approvals.answer('ap-2', { ...yes, decision: 'deny' })).toEqual({ accepted: true }); // prettier-ignore
    expect((await ann!.approvals.show('ap-2')).answer).toMatchObject({ decision: 'denied', by: 'ben' }); // prettier-ignore
    await host.outcome('c-1', { wait: true });
    await host.outcome('c-3', { wait: true });
    expect(await host.outcome('c-2', { wait: true })).toMatchObject({ status: 'refused' });
    expect(scene.starts('tool')).toBe(2);
  });

  test('people are told of each question in the form of each channel, again after a failure, and others only if nobody has answered', async () => {
    const scene = await own.make();
    const [plain, flaky, mail] = await Promise.all([receiver(), receiver(1), mailbox()]);
    const secret = `whsec_${Buffer.from('a secret of the receiver').toString('base64')}`;
    process.env['TEST_WEBHOOK_SECRET'] = secret;
    onTestFinished(() => void delete process.env['TEST_WEBHOOK_SECRET']);
    const options = settingsOf(scene, {
      notify: [
        { name: 'hook', to: 'webhook', url: `${plain.url}/hook`, secret: '$TEST_WEBHOOK_SECRET' },
        { name: 'slack', to: 'slack', url: `${plain.url}/slack`, workspaces: ['w*'] },
        { name: 'teams', to: 'teams', url: `${plain.url}/teams`, arguments: true },
        { name: 'ntfy', to: 'ntfy', url: `${flaky.url}/base/topic`, token: 'tk_1' },
        {
          name: 'mail',
          to: 'email',
          smtp: mail.url,
          from: 'hub@example.com',
          recipients: ['ann@example.com'],
        },
        { name: 'chief', to: 'slack', url: `${plain.url}/chief`, after: '3s' },
        { name: 'other', to: 'slack', url: `${plain.url}/other`, workspaces: ['x'] },
        { name: 'tools', to: 'slack', url: `${plain.url}/other`, tools: ['write_*'] },
      ],
    });
    const port = String(await freePort());
    const first = scene.serveHub(port, scene.url, ...options);
    await first.url;
    const { url } = await scene.joinHub(port);
    first.host.kill('SIGKILL');
    await first.host;
    // The question is asked by a host that reaches the database itself, while no hub is there.
    scene.leaveHub();
    scene.setHooks({ 'tool.before': { guard: { decision: 'ask', reason: 'May <it> & "all"?' } } });
    await scene.call();
    await scene.serveHub(port, scene.url, ...options).url;

    const sent = (path: string) => plain.received.filter((one) => one.path === path);
    await waitUntil(() => ['/hook', '/slack', '/teams'].every((path) => sent(path).length > 0));
    const [hook] = sent('/hook');
    const { data } = new Webhook(secret).verify(hook!.text, hook!.headers as Record<string, string>) as { data: object }; // prettier-ignore
    expect(data).toMatchObject({ id: 'ap-1', tool: tool.name, link: `${url}/approvals/ap-1` });
    expect(() => new Webhook(secret).verify(hook!.text.replace('ap-1', 'ap-2'), hook!.headers as Record<string, string>)).toThrow(); // prettier-ignore
    expect(hook!.text).not.toContain(toolCommand);
    expect(sent('/slack')[0]!.text).toContain('May &lt;it&gt; &amp;');
    expect(sent('/slack')[0]!.text).not.toContain('<it>');
    expect(sent('/teams')[0]!.text).toContain(
      JSON.stringify(toolCommand).slice(1, -1).slice(0, 10),
    );
    await waitUntil(() => mail.mails.length > 0 && flaky.received.length > 1);
    expect(mail.mails[0]).toMatch(/^Subject: May run_shell_command run\?/m);
    expect(mail.mails[0]).toContain(`${url}/approvals/ap-1`);
    const [refused, accepted] = flaky.received;
    expect([refused!.path, refused!.text, refused!.headers.authorization]).toEqual([accepted!.path, accepted!.text, 'Bearer tk_1']); // prettier-ignore
    expect([accepted!.path, JSON.parse(accepted!.text)]).toEqual(['/base/', expect.objectContaining({ topic: 'topic', click: `${url}/approvals/ap-1` })]); // prettier-ignore
    await waitUntil(() => sent('/chief').length > 0);
    // Of a question that was answered, nobody is reminded.
    const records = await scene.records();
    await records.approvals.answer('ap-1', { decision: 'deny', by: 'ann' });
    await scene.call('c-2');
    await records.approvals.answer('ap-2', { decision: 'deny', by: 'ann' });
    await scene.call('c-3');
    await waitUntil(() => sent('/chief').some(({ text }) => text.includes('ap-3')));
    expect(sent('/chief').map(({ text }) => /ap-\d/.exec(text)![0])).toEqual(['ap-1', 'ap-3']);
    expect([sent('/hook'), sent('/other')].map(({ length }) => length)).toEqual([expect.toBeOneOf([2, 3]), 0]); // prettier-ignore
  });

  test('a collector gets the metrics of the workspaces that the person sees whose token it sends', async () => {
    const scene = await own.make();
    const { url } = await scene.joinHub();
    await scene.call();
    const metrics = async (token?: string) => {
      const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
      const response = await fetch(`${url}/metrics`, { headers });
      return { status: response.status, text: await response.text() };
    };
    const [ann, ben] = [await person(scene, 'ann', 'sees w'), await person(scene, 'ben', 'sees x')];
    expect((await metrics(ann)).text).toContain('hookmachine_questions_waiting{workspace="w"} 1');
    expect((await metrics(ben)).text).not.toContain('workspace="w"');
    const others = await Promise.all([metrics(), metrics('none'), metrics(scene.hubToken)]);
    expect(others.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  test('what is risky needs more people and is told to others, also if it is encrypted', async () => {
    const scene = await own.make();
    const chief = await receiver();
    const options = settingsOf(scene, {
      approvers: [{ risks: ['high'], needs: 2 }],
      notify: [{ name: 'chief', to: 'webhook', url: `${chief.url}/`, risks: ['high', 'medium'] }],
    });
    const key = randomBytes(32).toString('base64');
    process.env['HOOKMACHINE_DURABLE_KEY'] = key;
    onTestFinished(() => void delete process.env['HOOKMACHINE_DURABLE_KEY']);
    const { url } = await scene.joinHub('0', scene.url, ...options);
    const ann = await own.installed.durable.openHub({ url, token: await person(scene, 'ann', 'answers w') }, { key }); // prettier-ignore
    onTestFinished(() => ann.close());
    for (const [id, command] of [['c-1', 'ls'], ['c-2', 'rm -rf ~/Documents'], ['c-3', 'git push']]) // prettier-ignore
      await scene.run('call', tool.name, '--input', JSON.stringify({ command }), '--id', id!, '--workspace', 'w'); // prettier-ignore
    const listed = await ann.approvals.list();
    expect(listed.map(({ risk }) => risk)).toEqual(['low', 'high', 'low']);
    const lines = (await scene.run('approvals', 'list')).stdout.split('\n');
    expect(lines.map((one) => one.includes('high risk'))).toEqual([false, true, false]);
    // An earlier release did not say how risky its question is.
    await scene.query(`update hookmachine.approvals set risk = null where id = 3`);
    const yes = { decision: 'approve', by: 'ann' } as const;
    const answers = [];
    for (const id of ['ap-1', 'ap-2', 'ap-3']) answers.push(await ann.approvals.answer(id, yes));
    expect(answers.map(({ accepted, ...rest }) => [accepted, 'missing' in rest && rest.missing])).toEqual([[true, false], [true, 1], [true, 1]]); // prettier-ignore
    await waitUntil(() => chief.received.length > 0);
    const told = chief.received.map(({ text }) => (JSON.parse(text) as { data: { id: string; risk?: string } }).data); // prettier-ignore
    expect(told.filter(({ id }) => id !== 'ap-3')).toMatchObject([{ id: 'ap-2', risk: 'high' }]);
  });

  test('bad settings of a hub are one error that names the file, the place and the fix', async () => {
    const scene = await own.make();
    const tell = async (text: string) => {
      const file = join(scene.project, 'bad.jsonc');
      writeFileSync(file, text);
      const { exitCode, stderr } = await scene.run(
        'hub',
        'serve',
        '--port',
        '0',
        '--settings',
        file,
      );
      expect(exitCode).toBe(1);
      return stderr.replaceAll(scene.project, '');
    };
    expect(await tell('{')).toMatch(/^hookmachine: \/bad\.jsonc:1:2 /);
    expect(await tell('{\n "notify": [{ "name": "a", "to": "slack", "url": "$NO_SUCH_VARIABLE" }]\n}')).toMatch(/^hookmachine: \/bad\.jsonc:2:\d+ notify\.0\.url: the variable NO_SUCH_VARIABLE is not set$/); // prettier-ignore
    expect(await tell('{"approvers":[{"needs":0}]}')).toContain(
      'bad.jsonc:1:24 approvers.0.needs: ',
    );
    expect(await tell('{"notify":[{"name":"a","to":"slack","url":"https://a.example","after":"soon"}]}')).toContain('write a time such as 10m or 4h'); // prettier-ignore
    expect(await tell('{"notifyy":[]}')).toContain('notifyy');
  });

  test('what was sealed, and what machines have sent, is noticed if it is changed, removed or made anew', async () => {
    const scene = await own.make(allowing);
    expect((await scene.call()).exitCode).toBe(0);
    expect((await scene.call('c-2')).exitCode).toBe(0);
    const verify = async (...args: readonly string[]) => {
      const { exitCode, stdout } = await scene.run('durable', 'verify', ...args);
      return `${exitCode} ${stdout}`;
    };
    expect((await scene.run('durable', 'seal')).stdout).toBe('2 calls sealed');
    expect((await scene.run('durable', 'seal')).stdout).toBe('0 calls sealed');
    const found = await verify();
    expect(found).toMatch(/^0 2 entries, unchanged; the last digest is [\da-f]{64}$/);
    const digest = found.slice(-64);

    await scene.call('c-3');
    await scene.run('durable', 'seal');
    expect(await verify('--expect', digest)).toMatch(/^0 3 entries, unchanged/);
    await scene.query(`update hookmachine.effects set outcome = '{"status":"ok"}' where call = 'c-2' and name = 'tool'`); // prettier-ignore
    expect(await verify()).toMatch(
      /^1 entry 2 \(call c-2\): what was done for the call was changed afterwards\n/,
    );
    await scene.query(`update hookmachine.chain set body = 'x' where id = 1`);
    expect(await verify()).toContain('entry 1 (call c-1): it, or what came before it, was changed');
    // A chain that was made anew is a chain, but not this one.
    await scene.query('truncate hookmachine.chain');
    await scene.query('update hookmachine.calls set sealed = false');
    await scene.run('durable', 'seal');
    expect(await verify()).toMatch(/^0 3 entries, unchanged/);
    expect(await verify('--expect', digest)).toContain('is not in the chain: it was made anew');
    // What was pruned cannot be checked, and is not missed.
    await scene.run('durable', 'prune', '--older-than', '1ms', '--yes');
    expect(await verify()).toMatch(/^0 3 entries, unchanged/);
    await scene.query(`delete from hookmachine.calls where id = 'c-1'`);
    expect(await verify()).toContain('(call c-1): the call is gone');
  });

  test('a host that was cut off records nothing in a call that was sealed meanwhile', async () => {
    const scene = await own.make(allowing);
    await scene.call();
    await scene.query(`update hookmachine.effects set outcome = null where name = 'tool'`);
    const database = {
      query: async (text: string, values?: readonly unknown[]) => ({ rows: await scene.query(text, values) }), // prettier-ignore
    } as unknown as Database;
    const late = () =>
      effectOperations.recordEffect(database, { call: 'c-1', number: 1, host: 'h' }, 'tool', '{}');
    await scene.run('durable', 'seal');
    await expect(late()).rejects.toThrow('taken over');
    expect((await scene.run('durable', 'verify')).stdout).toMatch(/^1 entry, unchanged/);
    await scene.query('update hookmachine.calls set sealed = false');
    expect(await late()).toBe('{}');
  });

  test('machines send what they decided alone, each line once, and what they run; a report sums it up', async () => {
    const scene = await own.make(allowing);
    const port = String(await freePort());
    const hub = scene.serveHub(port);
    const url = await hub.url;
    const invited = await operate(scene, 'machines', 'invite', 'laptop-7', '--json');
    const { code } = JSON.parse(invited) as { code: string };
    const machine = scene.user('machine');
    await machine.run('hub', 'join', url, '--code', code);
    const log = join(machine.home, 'audit.jsonl');
    const send = () => machine.run('hub', 'send', '--log', log, '--json');
    const sent = async () => JSON.parse((await send()).stdout) as { lines: number };
    writeFileSync(`${log}.1763880000000-4711`, line('2026-11-20T08:00:00.000Z'));
    writeFileSync(log, line('2026-11-21T08:00:00.000Z') + line('2026-11-22T08:00:00.000Z').slice(0, -1)); // prettier-ignore
    expect(await sent()).toMatchObject({ lines: 2 });
    expect(await sent()).toMatchObject({ lines: 0 });
    // The line that was being written arrives when it is whole; meanwhile the hub was away.
    hub.host.kill('SIGKILL');
    await hub.host;
    appendFileSync(log, '\n');
    expect((await send()).exitCode).toBe(1);
    await scene.serveHub(port).url;
    expect(await sent()).toMatchObject({ lines: 1 });

    // A new log may have the number of one that was removed, and be shorter.
    writeFileSync(log, line('2026-11-23T08:00:00.000Z', 'none'));
    expect([await sent(), await sent()]).toMatchObject([{ lines: 1 }, { lines: 0 }]);

    const report = JSON.parse(await operate(scene, 'report', '--json')) as {
      machines: { name: string; version: string; agents: unknown[] }[];
      audit: { denials: { count: number; by: string }[] };
    };
    expect(report.machines).toMatchObject([{ name: 'laptop-7', version: '0.1.0', reportedAt: expect.any(String) }]); // prettier-ignore
    expect(report.audit.denials).toMatchObject([{ count: 3, by: 'no-keys', what: 'write_file' }]);
    expect(await operate(scene, 'report')).toContain('3×  ann on laptop-7  write_file  by no-keys');
    expect((await scene.run('durable', 'verify')).stdout).toMatch(/^4 entries, unchanged/);
    await scene.query(
      `update hookmachine.chain set body = replace(body, 'deny', 'none') where id = 2`,
    );
    expect((await scene.run('durable', 'verify')).stdout).toContain('entry 2 (line laptop-7)');
  });

  test('a policy is tried on a share of the machines, always the same, before all have it; and it can be taken back', async () => {
    const scene = await own.make(allowing);
    const { url } = await scene.joinHub();
    await scene.query(
      `insert into hookmachine.bundles (digest, name, version, signer) values ('d1', 'guards', '1.0.0', 's'), ('d2', 'guards', '2.0.0', 's')`,
    );
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const tokens = await Promise.all(
      names.map(async (name) => {
        const { code } = JSON.parse(await operate(scene, 'machines', 'invite', name, '--json')) as { code: string }; // prettier-ignore
        const response = await fetch(`${url}/v1/enrol`, { method: 'POST', body: JSON.stringify({ code }) }); // prettier-ignore
        return ((await response.json()) as { value: { token: string } }).value.token;
      }),
    );
    const versions = () =>
      Promise.all(
        tokens.map(async (token) => {
          // What a machine says of its own name does not count.
          const { value } = await ask({ url, token }, 'usedBundles', 'm');
          return (value as { version: string }[]).map(({ version }) => version).join();
        }),
      );
    const use = async (...args: readonly string[]) =>
      (await scene.run('durable', 'policy', 'use', ...args)).stdout;
    await use('guards@1.0.0');
    expect(new Set(await versions())).toEqual(new Set(['1.0.0']));
    expect(await use('guards@2.0.0', '--share', '50%')).toBe('guards 2.0.0 is used on 50 % of the machines'); // prettier-ignore
    const half = await versions();
    expect(new Set(half)).toEqual(new Set(['1.0.0', '2.0.0']));
    expect((await scene.run('durable', 'policy', 'list')).stdout).toMatch(/2\.0\.0 {2}used on 50 %.*\n.*1\.0\.0 {2}used {2}/); // prettier-ignore
    await use('guards@2.0.0', '--share', '80');
    const most = await versions();
    expect(half.every((version, at) => version === '1.0.0' || most[at] === '2.0.0')).toBe(true);
    await use('guards@1.0.0');
    expect(new Set(await versions())).toEqual(new Set(['1.0.0']));
    await use('guards@none', '--share', '50');
    expect((await versions()).map((version, at) => [version, half[at]])).toEqual(half.map((version) => [version === '2.0.0' ? '' : '1.0.0', version])); // prettier-ignore
    expect((await scene.run('durable', 'policy', 'use', 'guards@1.0.0', '--share', '0')).stderr).toContain('make it a percentage'); // prettier-ignore
  });
});
