import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readHubSettings } from '../../src/hub/hub-settings.ts';
import { Recordings } from '../../src/hub/recordings.ts';
import { openPage, startBrowser } from '../watch/inspector/browser.ts';
import { chromiumPath } from '../watch/inspector/chromium.ts';
import { operate, person } from './hub-people.ts';
import { isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { noServer } from './postgres.ts';
import type { Scene } from './scene.ts';

const header = (session: string, journal: string, payloads = false): string =>
  `${JSON.stringify({ kind: 'recording', format: 'hookmachine', version: 1, at: 1_795_000_000_000, payloads, journal, session, user: 'ann', project: '/srv/shop' })}\n`;

/** A denied call as a recording has it. */
const denied = (session: string, journal: string, at = 1_795_000_000_000): string =>
  [
    { kind: 'started', at, id: `${journal}-1`, session, machine: 'toolCall', name: 'write_file', payload: { content: 'the secret word' } }, // prettier-ignore
    { kind: 'moved', at, id: `${journal}-1`, to: 'admitting', event: 'xstate.init' },
    { kind: 'started', at, id: `${journal}-2`, parent: `${journal}-1`, session, machine: 'hookEvent', name: 'BeforeTool', plan: { mode: 'parallel', hooks: [{ name: 'no-keys', source: 'system', dialect: 'hookmachine', command: 'x', timeout: 1_000 }] } }, // prettier-ignore
    { kind: 'verdict', at: at + 5, id: `${journal}-2`, blocked: true, stop: false, reason: 'Keys <b>stay</b> out.', by: 'no-keys', setBy: {}, conflicts: [] }, // prettier-ignore
    { kind: 'ended', at: at + 5, id: `${journal}-2`, status: 'done' },
    { kind: 'moved', at: at + 6, id: `${journal}-1`, from: 'beforeHooks', to: 'blocked', event: 'done' }, // prettier-ignore
    { kind: 'ended', at: at + 6, id: `${journal}-1`, status: 'blocked', reason: 'the secret word' },
  ]
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('');

/** A machine of one workspace that has joined a hub, and sends a recording. */
async function machineOf(scene: Scene, url: string, name: string, workspace: string) {
  const invited = await operate(scene, 'machines', 'invite', name, '--workspace', workspace, '--json'); // prettier-ignore
  const { code } = JSON.parse(invited) as { code: string };
  const machine = scene.user(name);
  await machine.run('hub', 'join', url, '--code', code);
  const file = join(machine.home, 'session.recording');
  const send = async () => {
    const { stdout } = await machine.run('hub', 'send', '--recording', file, '--json');
    return (JSON.parse(stdout) as { entries: number }).entries;
  };
  return { file, send };
}

/** Opens pages as somebody who has signed in. */
const reader = (url: string, token: string) => async (path: string) => {
  const body = new URLSearchParams({ token, to: '/' });
  const signedIn = await fetch(`${url}/sign-in`, { method: 'POST', body, headers: { origin: url }, redirect: 'manual' }); // prettier-ignore
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
  const response = await fetch(url + path, { headers: { cookie } });
  return { status: response.status, text: await response.text() };
};

describe.skipIf(noServer !== undefined || !isInstalled || !isWhole)('the sessions of a hub', () => {
  const own = ownServer();

  test('are those that machines have recorded, each line once, and are shown to those who share a workspace', async () => {
    const scene = await own.make();
    const { url } = await scene.joinHub();
    const laptop = await machineOf(scene, url, 'laptop-7', 'shop');
    const other = await machineOf(scene, url, 'other', 'lab');
    const whole = header('s-1', 'aaaa1111') + denied('s-1', 'aaaa1111') + header('s-2', 'bbbb2222');
    // A line is being written, and one is longer than any that a hub takes.
    writeFileSync(laptop.file, whole + denied('s-2', 'bbbb2222').slice(0, -20));
    writeFileSync(other.file, `${header('s-1', 'aaaa1111')}{"kind":"x${'x'.repeat(3_000_000)}"}\nnot json\n{"kind":"started"}\n${denied('s-1', 'aaaa1111')}`); // prettier-ignore
    expect([await laptop.send(), await laptop.send()]).toEqual([15, 0]);
    expect(await other.send()).toBe(8);
    writeFileSync(laptop.file, whole + denied('s-2', 'bbbb2222'));
    // Processes of other sessions write in between.
    appendFileSync(laptop.file, denied('s-1', 'aaaa1111', 1_795_000_900_000));
    expect(await laptop.send()).toBe(8);

    const ann = reader(url, await person(scene, 'ann', 'sees shop'));
    const ben = reader(url, await person(scene, 'ben', 'sees lab'));
    const listed = (await ann('/sessions')).text;
    const cells = [...listed.matchAll(/<td>(.*?)<\/td>/gs)].map(([, cell]) => cell!.replaceAll(/<[^>]*>/g, '').trim()); // prettier-ignore
    expect(cells).toEqual([
      's-1', 'laptop-7', 'ann', '/srv/shop', '2', '2', expect.any(String),
      's-2', 'laptop-7', 'ann', '/srv/shop', '1', '1', expect.any(String),
    ]); // prettier-ignore
    const [first] = /\/sessions\/\d+/.exec(listed)!;
    const [theirs] = /\/sessions\/\d+/.exec((await ben('/sessions?denied')).text)!;
    expect((await ann(first)).text).toContain('Keys \\u003cb>stay');
    const statuses = await Promise.all([ann(first), ann(theirs), ben(theirs), ben(first), ann('/sessions/999')]); // prettier-ignore
    expect(statuses.map(({ status }) => status)).toEqual([200, 404, 200, 404, 404]);
    expect((await fetch(url + first)).url).toBe(url + first);
    expect(await (await fetch(url + first)).text()).toContain('Sign in');
  });

  test('hold payloads only if the hub’s settings allow them for all workspaces of the machine', async () => {
    const scene = await own.make();
    const settings = join(scene.project, 'hub.json');
    writeFileSync(settings, '{"recordings":{"payloads":["shop"]}}');
    const { url } = await scene.joinHub('0', scene.url, '--settings', settings);
    for (const [name, workspace] of [
      ['open', 'shop'],
      ['shut', '*'],
    ] as const) {
      const machine = await machineOf(scene, url, name, workspace);
      writeFileSync(machine.file, header('s', 'aaaa1111', true) + denied('s', 'aaaa1111'));
      await machine.send();
    }
    const rows = await scene.query(
      `select s.machine, s.payloads, e.body like '%the secret word%' as holds
       from hookmachine.sessions s join hookmachine.session_entries e on e.session = s.id order by s.machine`,
    );
    expect(rows).toEqual([
      { machine: 'open', payloads: true, holds: true },
      { machine: 'shut', payloads: false, holds: false },
    ]);
    // Whoever only sees which tool is asked about sees no arguments here either.
    const may = async (name: string, role: string) => {
      const read = reader(url, await person(scene, name, `${role} shop`));
      const [row] = await scene.query(`select id from hookmachine.sessions where machine = 'open'`);
      return (await read(`/sessions/${String(row!['id'])}`)).status;
    };
    expect([await may('ann', 'sees'), await may('ben', 'answers')]).toEqual([403, 200]);
    // A machine may have sessions of all its workspaces: who answers in some of them sees none with arguments.
    await scene.query(
      `update hookmachine.machines set workspaces = '{shop,lab}' where name = 'open'`,
    );
    expect([await may('cleo', 'answers'), await may('dora', 'administers')]).toEqual([403, 403]);
    // An address that is none is none, whatever it is called.
    const none = await Promise.all(
      ['constructor', '__proto__', 'toString', 'recordings/', 'hasOwnProperty'].map((path) =>
        fetch(`${url}/v1/${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${scene.hubToken}` },
          body: '{}',
        }),
      ),
    );
    expect(none.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    // A machine that sends them all the same does not have them kept.
    const response = await fetch(`${url}/v1/recordings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.hubToken}` },
      body: JSON.stringify({ source: 'x', from: 0, to: 9, lines: [header('s\0', 'cc'), ...denied('s\0', 'cc', 9e15).split('\n')] }), // prettier-ignore
    });
    expect([response.status, await response.json()]).toEqual([200, { value: 9 }]);
    const kept = await scene.query(
      `select s.session, s.last_at <= now() as past, e.body like '%the secret word%' as holds
       from hookmachine.sessions s left join hookmachine.session_entries e on e.session = s.id where s.machine = 'm'`,
    );
    expect(kept).toEqual([{ session: 's', past: true, holds: null }]);
  });

  test('are deleted when their time is up, unless a hold keeps them', async () => {
    const scene = await own.make();
    const settings = join(scene.project, 'hub.json');
    writeFileSync(settings, '{"recordings":{"keep":"1ms"}}');
    const { url } = await scene.joinHub();
    const machine = await machineOf(scene, url, 'laptop-7', 'shop');
    const sessions = ['s-1', 's-2', 's-3'];
    writeFileSync(machine.file, sessions.map((one, at) => header(one, `${at}`) + denied(one, `${at}`)).join('')); // prettier-ignore
    await machine.send();
    expect(
      (await scene.run('durable', 'hold', 'place', '--session', 's-2', '--note', 'a lawsuit'))
        .exitCode,
    ).toBe(0);
    const { recordings } = readHubSettings(settings);
    const database = {
      query: async (text: string, values?: readonly unknown[]) => ({ rows: await scene.query(text, values) }), // prettier-ignore
    } as unknown as ConstructorParameters<typeof Recordings>[0];
    const kept = new Recordings(database, { approvers: [], notify: [], recordings });
    expect([await kept.prune(), await kept.prune()]).toEqual([2, 0]);
    expect(await scene.query('select session from hookmachine.sessions')).toEqual([
      { session: 's-2' },
    ]);
    expect(await scene.query('select distinct session from hookmachine.session_entries')).toHaveLength(1); // prettier-ignore
  });

  describe.skipIf(chromiumPath === undefined)('in a browser', () => {
    beforeAll(startBrowser);

    test('are opened from the list, with the machine of a call and markup as text', async () => {
      const scene = await own.make();
      const { url } = await scene.joinHub();
      const machine = await machineOf(scene, url, 'laptop-7', 'shop');
      writeFileSync(machine.file, header('s-1', 'aaaa1111') + denied('s-1', 'aaaa1111'));
      await machine.send();
      const token = await person(scene, 'ann', 'sees shop');
      const page = await openPage(`${url}/sessions`);
      await page.getByLabel(/^Token/).fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 's-1' }).click();
      await page.getByText('Keys <b>stay</b> out.').first().waitFor();
      expect(await page.title()).toContain('s-1 on laptop-7');
      expect(await page.getByText('blocked').count()).toBeGreaterThan(0);
    });
  });
});
