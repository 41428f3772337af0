import { beforeAll, describe, expect, test } from 'vitest';
import { openPage, startBrowser } from '../watch/inspector/browser.ts';
import { chromiumPath } from '../watch/inspector/chromium.ts';
import { operate, person } from './hub-people.ts';
import { isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { noServer } from './postgres.ts';

/** Signs somebody in, and returns how they send the form of a page. */
async function signedIn(url: string, token: string) {
  const body = new URLSearchParams({ token, to: '/' });
  const headers = { origin: url };
  const response = await fetch(`${url}/sign-in`, { method: 'POST', body, headers, redirect: 'manual' }); // prettier-ignore
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!;
  const send = async (fields?: Record<string, string>, origin = url) => {
    const sent = await fetch(`${url}/people`, {
      headers: { cookie, origin },
      redirect: 'manual',
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    });
    return { status: sent.status, text: await sent.text() };
  };
  return send;
}

describe.skipIf(noServer !== undefined || !isInstalled || !isWhole)(
  'the page on which people are administered',
  () => {
    const own = ownServer();

    test('lets administrators change what others may do in their workspaces, and nothing elsewhere', async () => {
      const scene = await own.make();
      const { url } = await scene.joinHub();
      const tokens = {
        ann: await person(scene, 'ann', 'administers shop*'),
        ben: await person(scene, 'ben', 'answers lab', 'sees shop'),
        cleo: await person(scene, 'cleo', 'answers shop'),
      };
      const [ann, cleo] = [await signedIn(url, tokens.ann), await signedIn(url, tokens.cleo)];
      const grant = { action: 'grant', person: 'ben', role: 'answers', workspace: 'shop-1' };
      // Whoever administers nothing has no such page.
      expect([(await cleo()).status, (await cleo(grant)).status]).toEqual([404, 404]);
      const shown = (await ann()).text;
      expect(shown).toContain('sees in shop');
      expect(shown).not.toContain('in lab');

      expect((await ann(grant)).status).toBe(303);
      expect((await ann({ ...grant, workspace: 'shop-2', lasts: '7d' })).status).toBe(303);
      expect((await ann({ action: 'take-back', person: 'ben', role: 'sees', workspace: 'shop' })).status).toBe(303); // prettier-ignore
      expect((await ann({ action: 'add', person: 'dora', email: 'dora@example.com' })).status).toBe(
        303,
      );
      expect(await operate(scene, 'people', 'list')).toMatch(
        /^ben <ben@example\.com> {2}answers in lab, answers in shop-1, answers in shop-2 until \S+\n/m,
      );
      const refused = [
        { ...grant, workspace: 'lab' },
        { ...grant, workspace: '*' },
        { ...grant, workspace: 'sho*' },
        { action: 'take-back', person: 'ben', role: 'answers', workspace: 'lab' },
        // Nobody takes over the account of somebody else by their address.
        { action: 'add', person: 'ben', email: 'ann@example.com' },
        { action: 'add', person: 'eve', email: 'ben@example.com' },
        { ...grant, role: 'owns' },
        { ...grant, person: 'nobody' },
        { ...grant, lasts: 'soon' },
      ];
      const statuses = [];
      for (const fields of refused) statuses.push((await ann(fields)).status);
      expect(statuses).toEqual(refused.map(() => 409));
      expect((await ann(grant, 'https://evil.example')).status).toBe(403);
      const people = JSON.parse(await operate(scene, 'people', 'list', '--json')) as {
        name: string;
        email: string;
        grants: { workspace: string }[];
      }[];
      expect(people.map(({ name, email, grants }) => [name, email, grants.map(({ workspace }) => workspace)])).toEqual([
        ['ann', 'ann@example.com', ['shop*']],
        ['ben', 'ben@example.com', ['lab', 'shop-1', 'shop-2']],
        ['cleo', 'cleo@example.com', ['shop']],
        ['dora', 'dora@example.com', []],
      ]); // prettier-ignore
    });

    describe.skipIf(chromiumPath === undefined)('in a browser', () => {
      beforeAll(startBrowser);

      test('has a form for each change, with labels', async () => {
        const scene = await own.make();
        const { url } = await scene.joinHub();
        const token = await person(scene, 'ann', 'administers shop*');
        await person(scene, 'ben');
        const page = await openPage(`${url}/people`, { expected: /409/ });
        await page.getByLabel(/^Token/).fill(token);
        await page.getByRole('button', { name: 'Sign in' }).click();
        const form = page.locator('form', { has: page.getByRole('button', { name: 'Grant' }) });
        await form.getByLabel('Person').fill('ben');
        await form.getByLabel('Role').selectOption('answers');
        await form.getByLabel(/^Workspace/).fill('lab');
        await form.getByRole('button', { name: 'Grant' }).click();
        await page.getByRole('alert').getByText('does not administer the workspace lab').waitFor();
        await form.getByLabel('Person').fill('ben');
        await form.getByLabel('Role').selectOption('answers');
        await form.getByLabel(/^Workspace/).fill('shop-1');
        await form.getByRole('button', { name: 'Grant' }).click();
        await page.getByRole('button', { name: 'Take back from ben: answers in shop-1' }).click();
        await expect
          .poll(() =>
            page.getByRole('button', { name: 'Take back from ben: answers in shop-1' }).count(),
          )
          .toBe(0);
      });
    });
  },
);
