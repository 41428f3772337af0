import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../support/until.ts';
import { isInstalled, isWhole } from './installed.ts';
import { loadInstalled } from './load-installed.ts';
import { noServer, Postgres } from './postgres.ts';
import { type Hooks, makeTemplate, Scene, toolCommand } from './scene.ts';

const allowing: Hooks = { 'tool.before': { guard: {} } };

const call = { name: 'run_shell_command', input: { command: toolCommand } };

/** An address that leads to the server whose port it is told, as a fail-over changes it. */
async function address(
  to: Postgres,
): Promise<{ readonly port: number; readonly lead: (to: Postgres) => void }> {
  let { port } = to;
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    port: (server.address() as AddressInfo).port,
    lead: ({ port: other }) => (port = other),
  };
}

/** A project whose hosts reach the primary, and later its standby, at the same address. */
const make = async () => {
  const installed = await loadInstalled();
  const primary = await Postgres.start();
  onTestFinished(() => primary.end());
  await makeTemplate(primary, installed);
  const scene = await Scene.make(primary, installed, allowing);
  const standby = await primary.standby();
  onTestFinished(() => standby.end());
  const { port, lead } = await address(primary);
  const database = new URL(scene.url);
  database.port = String(port);
  return { scene, primary, standby, lead, database: database.href };
};

describe.skipIf(noServer !== undefined || !isInstalled || !isWhole)(
  'a database whose standby is promoted',
  () => {
    test('a call that an asynchronous standby has received continues on it; one that it has not is unknown, and is run again if it is made again', async () => {
      const { scene, primary, standby, lead, database } = await make();
      const host = await scene.work({ database, lostAfter: 60_000 });
      expect(await host.call({ id: 'early', ...call })).toMatchObject({ status: 'done' });
      scene.hold('tool');
      const running = host.call({ id: 'running', ...call });
      await waitUntil(() => scene.starts('tool') === 2);
      await scene.query('select pg_current_wal_flush_lsn()');
      await waitUntil(async () => {
        const [row] = await scene.query(
          'select replay_lsn >= pg_current_wal_flush_lsn() as "isCopied" from pg_stat_replication',
        );
        return row?.['isCopied'] === true;
      });
      // From here on, the standby receives nothing.
      await standby.kill();
      scene.release('tool');
      expect(await running).toMatchObject({ status: 'done' });
      expect(await host.call({ id: 'late', ...call })).toMatchObject({ status: 'done' });
      expect(scene.starts('tool')).toBe(3);
      await primary.kill();
      await standby.begin();
      await standby.promote();
      lead(standby);

      expect(await host.outcome('early')).toMatchObject({ status: 'done' });
      await expect(host.outcome('late')).rejects.toMatchObject({ code: 'CALL_UNKNOWN' });
      expect(await host.call({ id: 'late', ...call })).toMatchObject({ status: 'done' });
      expect(scene.starts('tool')).toBe(4);
    });

    test('a host that requires a standby joins only where one is waited for, and gives its lease up after a fail-over without one', async () => {
      const { scene, primary, standby, lead, database } = await make();
      const options = { database, lostAfter: 4_000, requireStandby: true };
      await expect(scene.connect({}, options)).rejects.toMatchObject({
        code: 'DATABASE_STANDBY',
        message: expect.stringContaining('does not wait for a synchronous standby'),
      });
      await scene.query(`alter system set synchronous_standby_names = '*'`);
      await scene.query('select pg_reload_conf()');
      const said: string[] = [];
      const host = await waitUntil(() =>
        scene.connect({ onWarning: (line) => said.push(line) }, options).catch(() => undefined),
      );
      expect(await host!.call({ id: 'c-1', ...call })).toMatchObject({ status: 'done' });
      await primary.kill();
      await standby.promote();
      lead(standby);
      await waitUntil(() => said.some((line) => line.includes('does not wait for a synchronous')));
      // What was recorded has reached the standby.
      await waitUntil(() => said.some((line) => line.startsWith('it cannot join yet')));
      expect(await host!.call({ id: 'c-2', ...call })).toMatchObject({
        status: 'blocked',
        toolResult: { error: { type: 'database_unavailable' } },
      });
      expect(scene.starts('tool')).toBe(1);
    });
  },
);
