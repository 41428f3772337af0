import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished } from 'vitest';
import { chromiumPath } from './chromium.ts';

const artifacts = fileURLToPath(new URL('../../artifacts/', import.meta.url));

/** The one of this process, which ends with it. */
let browser: Promise<Browser> | undefined;

const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath!,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });

/** Starts the browser, unless it runs. */
export async function startBrowser(): Promise<void> {
  if (!(await browser)?.isConnected()) browser = launch();
  await browser;
}

/** Tests in a real browser; where there is none, the report says that they were skipped. */
export function describeInBrowser(title: string, tests: () => void): void {
  describe.skipIf(chromiumPath === undefined)(
    chromiumPath ? title : `${title} (skipped: there is no chromium; name one with CHROMIUM)`,
    () => {
      beforeAll(startBrowser);
      tests();
    },
  );
}

/**
 * A page of the running test's own. What it complains of, scripts or policies, fails the test, but
 * for what is expected; so does a request to anywhere else.
 */
export async function openPage(
  url: string,
  { expected, ...options }: BrowserContextOptions & { readonly expected?: RegExp } = {},
): Promise<Page> {
  const context = await (
    await browser!
  ).newContext({
    viewport: { width: 1_600, height: 950 },
    ...options,
  });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    // A stream that broke off is reported, and taken up again.
    if (message.type() !== 'error' || /ERR_(?:CONNECTION|INCOMPLETE)/.test(text)) return;
    if (!expected?.test(text)) complaints.push(text);
  });
  page.on('request', (request) => {
    const asked = request.url();
    if (asked !== url.split('#')[0] && !/^(?:about:|data:|http:\/\/127\.0\.0\.1:)/.test(asked))
      complaints.push(`asked ${asked} for something`);
  });
  onTestFinished(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  await page.goto(url);
  return page;
}

/** Keeps a picture for whoever reads the run. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(artifacts, { recursive: true });
  await page.screenshot({ path: `${artifacts}inspector-${name}.png` });
}

/** The texts of all elements that a selector finds. */
export const texts = (page: Page, selector: string): Promise<string[]> =>
  page.locator(selector).allTextContents();

/** Waits until something of the page is so. */
export const until = (read: () => Promise<unknown>, wanted: unknown): Promise<void> =>
  expect.poll(read, { interval: 40 }).toEqual(wanted);
