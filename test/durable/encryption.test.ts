import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PayloadKeys } from '../../src/durable/encrypted-store.ts';
import { person } from './hub-people.ts';
import { isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { noServer } from './postgres.ts';
import { asking, toolCommand } from './scene.ts';

const variable = 'HOOKMACHINE_DURABLE_KEY';

const newKey = (): string => randomBytes(32).toString('base64');

const command = `${toolCommand} # the secret word`;

test('a payload is decrypted by its key only, and neither in another place nor if it was changed', () => {
  const [key, other] = [newKey(), newKey()];
  const keys = new PayloadKeys(key);
  const text = JSON.stringify({ a: 'ü\u2028\ud800' });
  const sealed = keys.encrypt(text, 'c-1');
  expect([sealed, sealed.includes('ü')]).toEqual([keys.encrypt(text, 'c-1'), false]);
  expect([keys.decrypt(sealed, 'c-1'), keys.decrypt(text, 'c-1')]).toEqual([text, text]);
  expect(new PayloadKeys(`${other},${key}`).decrypt(sealed, 'c-1')).toBe(text);
  expect(() => new PayloadKeys(other).decrypt(sealed, 'c-1')).toThrow('which is not here');
  const at = sealed.length - 30;
  const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
  expect(() => keys.decrypt(changed, 'c-1')).toThrow('was changed');
  expect(keys.encrypt(text, 'c-2')).not.toBe(sealed);
  expect(() => keys.decrypt(sealed, 'c-2')).toThrow('that of another call');
  expect(() => new PayloadKeys('short')).toThrow('openssl rand -base64 32');
});

describe.skipIf(noServer !== undefined || !isInstalled || !isWhole)(
  'the payloads of durable calls',
  () => {
    const own = ownServer();

    test.each(['database', 'hub'])(
      'are read with the key, and neither by those who reach the %s without it nor in a dump',
      async (through) => {
        const key = newKey();
        const scene = await own.make(asking);
        const hub = through === 'hub' ? await scene.joinHub() : undefined;
        const ann = hub && (await person(scene, 'ann', 'answers w'));
        process.env[variable] = key;
        onTestFinished(() => void delete process.env[variable]);
        const call = (text = command) =>
          scene.run('call', 'run_shell_command', '--input', JSON.stringify({ command: text, description: 'x' }), '--id', 'c-1', '--workspace', 'w'); // prettier-ignore
        const asked = await call();
        expect([asked.exitCode, asked.stdout]).toEqual([3, expect.stringContaining('the secret word')]); // prettier-ignore
        // The same call is known again, and another one is not taken for it.
        expect((await call()).exitCode).toBe(3);
        expect((await call('echo other')).stderr).toContain('with other arguments');

        const open = (options?: { key: string }) =>
          hub
            ? own.installed.durable.openHub({ url: hub.url, token: ann! }, options)
            : own.installed.durable.openRecords(scene.url, options);
        const blind = await open();
        const seeing = await open({ key });
        onTestFinished(async () => void (await Promise.all([blind.close(), seeing.close()])));
        const [listed] = await blind.approvals.list();
        expect(JSON.stringify(listed)).not.toContain('the secret word');
        await expect(blind.approvals.answer('ap-1', { decision: 'approve', by: 'ann' })).rejects.toThrow('the key is not here'); // prettier-ignore
        const { digest, reason } = await seeing.approvals.show('ap-1');
        expect([digest, reason]).toEqual([listed!.digest, 'May it?']);
        const edited = { command: `${command}, edited` };
        expect(await seeing.approvals.answer('ap-1', { decision: 'approve', by: 'ann', digest, input: edited })).toEqual({ accepted: true }); // prettier-ignore
        const done = await call();
        expect([done.exitCode, done.stdout]).toEqual([0, expect.stringContaining('word, edited')]);
        expect([scene.starts('guard'), scene.starts('tool')]).toEqual([2, 1]);
        const [dump] = await scene.query(
          `select (select json_agg(c) from hookmachine.calls c)::text
             || (select json_agg(a) from hookmachine.approvals a)::text
             || (select json_agg(e) from hookmachine.effects e)::text as text`,
        );
        expect(dump!['text']).not.toMatch(/the secret word|May it\?/);
        expect(JSON.stringify(await seeing.audit('c-1'))).toContain('word, edited');
        // Without the key, nothing runs that cannot be read.
        delete process.env[variable];
        expect((await call()).exitCode).toBe(1);
        expect(scene.starts('tool')).toBe(1);
      },
    );
  },
);
