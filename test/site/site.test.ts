import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeInBrowser, openPage } from '../watch/inspector/browser.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'site/dist');
const isBuilt = existsSync(join(dist, 'index.html'));
const reason = isBuilt ? '' : ' (skipped: npm run site builds it)';

const files = isBuilt ? readdirSync(dist, { recursive: true, encoding: 'utf8' }) : [];
const pages = files.filter((file) => file.endsWith('.html') && file !== '404.html');
const read = (file: string): string => readFileSync(join(dist, file), 'utf8');

describe.skipIf(!isBuilt)(`the files of the site${reason}`, () => {
  test('there is a page, and the same as Markdown, for each page of docs/', () => {
    const docs = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'));
    const names = docs.map((file) => (file === 'README.md' ? 'contents' : file.slice(0, -3)));
    expect(names.length).toBeGreaterThan(20);
    for (const name of [...names, 'start', 'playground']) {
      expect(pages, name).toContain(`${name}.html`);
      expect(files, name).toContain(`${name}.md`);
    }
  });

  test('the reference has a page for each entry point of the package', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly exports: Readonly<Record<string, unknown>>;
    };
    const entries = Object.entries(exports).filter(([, entry]) => typeof entry === 'object');
    expect(entries.length).toBeGreaterThan(15);
    for (const [path] of entries)
      expect(pages).toContain(posix.join('reference', `hookmachine${path.slice(1)}.html`));
    expect(read('reference/hookmachine/hook.html')).toContain(
      'Gives the model additional context.',
    );
  });

  test('llms.txt links to pages that exist, and llms-full.txt contains them', () => {
    const links = [...read('llms.txt').matchAll(/\]\((\/[^)]+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(40);
    for (const link of links) expect(existsSync(join(dist, link)), link).toBe(true);
    expect(read('llms-full.txt')).toContain('What cannot be judged is denied');
  });

  test('every link within the site leads to a page, and to a place on it', () => {
    const ids = new Map(
      pages.map((page) => [
        page,
        new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)),
      ]),
    );
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/<a [^>]*href="([^"]+)"/g)]
        .map(([, href = '']) => href.replaceAll('&amp;', '&'))
        .filter((href) => !/^[a-z]+:/.test(href))
        .filter((href) => {
          const { pathname, hash } = new URL(href, `http://site/${page}`);
          const file = decodeURIComponent(pathname).slice(1);
          const target = file === '' || file.endsWith('/') ? `${file}index.html` : file;
          if (hash === '' || !target.endsWith('.html')) return !files.includes(target);
          return !ids.get(target)?.has(decodeURIComponent(hash).slice(1));
        })
        .map((href) => `${page}: ${href}`),
    );
    expect([...new Set(broken)]).toEqual([]);
  });
});

let server: Server;
let origin = '';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

async function serve(): Promise<void> {
  server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://site').pathname);
    const file = join(dist, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = types[extname(file)] ?? 'application/octet-stream';
    return response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');

const verdict = (page: Page) => page.locator('.verdict').first();

const background = (page: Page): Promise<string> =>
  page.evaluate('getComputedStyle(document.body).backgroundColor');

/** Opens the playground with one of its samples. */
async function playground(sample: string): Promise<Page> {
  const page = await openPage(`${origin}/playground.html`);
  // Until it has judged its first sample, it may not listen yet.
  await verdict(page).waitFor();
  await page.getByLabel('Begin with').selectOption({ label: sample });
  return page;
}

if (isBuilt)
  describeInBrowser('the site', () => {
    beforeAll(serve);
    afterAll(() => void server.close());

    test('the first screen shows a denied call and the way of its machine, stepped by hand', async () => {
      const page = await openPage(`${origin}/`, { viewport: { width: 1_280, height: 800 } });
      await page.getByText('It is all of the user').first().waitFor();
      expect(await page.locator('.denied').textContent()).toMatch(/Denied.*shell\/delete-home/);
      const blocked = page.locator('[data-state="toolCall.blocked"]');
      const isShown = (): Promise<boolean> =>
        blocked.evaluate((state) => {
          const { top, bottom } = state.getBoundingClientRect();
          return top > 0 && bottom < 800;
        });
      await expect.poll(isShown).toBe(true);
      await expect.poll(() => blocked.getAttribute('class')).toContain('current');
      await page.getByRole('button', { name: 'The model wants run_shell_command.' }).click();
      await expect.poll(() => blocked.getAttribute('class')).not.toContain('visited');
      const admitting = page.locator('[data-state="toolCall.admitting"]');
      expect(await admitting.getAttribute('class')).toContain('current');
      for (let step = 0; step < 3; step++) await page.getByRole('button', { name: 'Step' }).click();
      expect(await page.locator('.story [aria-current]').textContent()).toContain('starts');
    });

    test('a screen reader finds the call, its verdict, the steps and the ways on', async () => {
      const page = await openPage(`${origin}/`);
      await page.getByText('It is all of the user').first().waitFor();
      const tree = await page.locator('.home-page').ariaSnapshot();
      expect(tree).toContain('heading "Hooks for AI coding agents, with no denial lost" [level=1]');
      expect(tree).toMatch(/status:\s*- strong: Denied\./);
      expect(tree).toContain('group "Steps"');
      expect(tree).toContain('list "What happened"');
      expect(tree).toContain(
        'group "The states of the tool call: admitting, beforeHooks, blocked"',
      );
      expect(tree).toMatch(/region "Where to go":\n(?: *- link "[^"]+":?\n(?: *- .*\n)*)+/);
      expect(await page.getByRole('banner').count()).toBe(1);
      expect(await page.getByRole('main').count()).toBe(1);
    });

    test.each([360, 768, 1_280, 1_920])(
      'no page is wider than a window of %i px',
      async (width) => {
        const some = width === 360 ? pages.filter((page) => !page.startsWith('source/')) : [];
        const opened = await openPage(`${origin}/`, {
          viewport: { width, height: 800 },
          colorScheme: width === 768 ? 'dark' : 'light',
        });
        for (const page of ['index.html', 'playground.html', 'hooks.html', ...some]) {
          await opened.goto(`${origin}/${page}`);
          await opened.getByRole('heading', { level: 1 }).waitFor();
          expect(await overflow(opened), page).toBeLessThanOrEqual(0);
        }
      },
    );

    test('the colours follow those of the reader, or a switch', async () => {
      const dark = await openPage(`${origin}/hooks.html`, { colorScheme: 'dark' });
      const light = await openPage(`${origin}/hooks.html`, { colorScheme: 'light' });
      expect(await background(dark)).not.toBe(await background(light));
      const before = await background(light);
      await light.getByRole('switch').first().click();
      await expect.poll(() => background(light)).not.toBe(before);
    });

    test('search finds what a page says', async () => {
      const page = await openPage(`${origin}/`);
      await page.getByRole('button', { name: 'Search' }).first().click();
      await page.getByRole('searchbox').fill('onFailure block');
      await page.locator('.results .result').first().waitFor();
      expect(await page.locator('.results').textContent()).toMatch(/Settings/);
    });

    test('a sample is copied whole, and of a terminal session only what was typed', async () => {
      const page = await openPage(`${origin}/start.html`);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const copied = async (language: string): Promise<string> => {
        const sample = page.locator(`.language-${language}`).first();
        await sample.hover();
        await sample.locator('button.copy').click();
        return page.evaluate('navigator.clipboard.readText()');
      };
      await expect.poll(() => copied('jsonc')).toContain('"name": "no-env"');
      await expect
        .poll(() => copied('console'))
        .toBe(
          `hookmachine trust --yes\nhookmachine tool write_file --input '{"file_path":".env","content":"KEY=1"}'\n`,
        );
    });

    test.each([
      ['A guard that comes with hookmachine denies', /^Denied.*delete-home/],
      ['A hook of Claude Code denies by exit code 2', /^Denied.*Secrets stay out of .env files/],
      ['A hook changes the command', /^Goes on/],
      ['A hook allows, another denies: the denial stays', /^Denied.*Not today/],
      ['A guard that fails, and must not let calls through', /^Denied/],
      ['A prompt gets context', /^Goes on.*The branch is main/],
      ['Settings with mistakes', /^Denied.*The other hook still denies/],
    ])('in the playground, the engine judges: %s', async (sample, expected) => {
      const page = await playground(sample);
      await expect.poll(async () => (await verdict(page).textContent())?.trim()).toMatch(expected);
      if (sample === 'A hook changes the command')
        expect(await page.locator('.outcome').textContent()).toContain('sets tool_input.command');
      if (sample === 'Settings with mistakes')
        expect(await page.locator('.warnings').textContent()).toMatch(/tool\.befor\b[\s\S]*comand/);
    });

    test('in the playground, another answer of a script is another verdict', async () => {
      const page = await playground('A hook of Claude Code denies by exit code 2');
      await expect.poll(() => verdict(page).textContent()).toContain('Denied');
      await page.getByRole('spinbutton', { name: 'Exit code' }).fill('0');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await expect.poll(() => verdict(page).textContent()).toContain('Goes on');
      await page.getByRole('textbox', { name: 'Its fields' }).fill('{');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await expect.poll(() => page.getByRole('alert').textContent()).toContain('not JSON');
    });

    test('a link to the playground carries what was pasted, as text', async () => {
      const page = await playground('A prompt gets context');
      await expect.poll(() => verdict(page).textContent()).toContain('main');
      await page
        .getByRole('textbox', { name: 'stdout' })
        .fill('<img src=x onerror="document.title=1">');
      await page.getByRole('button', { name: 'Make a link' }).click();
      const link = await page.getByRole('link', { name: 'Link to this' }).getAttribute('href');
      const other = await openPage(link!);
      await expect.poll(() => other.locator('.outcome').textContent()).toContain('Plan');
      expect(await other.getByRole('textbox', { name: 'stdout' }).inputValue()).toContain(
        'onerror',
      );
      expect(await other.title()).not.toBe('1');
    });
  });
else test.skip(`the site in a browser${reason}`, () => undefined);
