import { createHash } from 'node:crypto';
import type { Feed } from './feed.ts';
import { withoutStyle } from './page-files.ts';
import { type PageTexts, readPageTexts } from './page-texts.ts';

/** The approximate size of a block of entries, in characters: the page reads one block at a time. */
const blockSize = 1_000_000;

/**
 * Makes the inspector's page with the whole feed in it: one document that needs no network. Its policy lets
 * it run only its own script, fetch nothing, and turn no text into markup.
 */
export const reportPage = async (feed: Feed): Promise<string> => (await servedReport(feed)).text;

/** Makes the same page, and its policy for those who serve it. */
export async function servedReport(
  feed: Feed,
): Promise<{ readonly text: string; readonly policy: string }> {
  const texts = await readPageTexts();
  const script = texts['main.js']!;
  const styles: string[] = [];
  const icon = `data:image/svg+xml,${encodeURIComponent(texts['icon.svg']!)}`;
  const page = texts['index.html']!.replace(/<script type="module" src="main\.js"><\/script>/, '')
    .replaceAll('"icon.svg"', () => `"${icon}"`)
    .replaceAll(/<link rel="stylesheet" href="([^"]*)" \/>/g, (_, name: string) => {
      styles.push(texts[name]!);
      return `<style>${texts[name]!}</style>`;
    });
  const [head, body] = page.split('<title>');
  const [before, after] = body!.split('</body>');
  const policy = policyFor(script, styles);
  const parts = [
    head,
    `<meta http-equiv="content-security-policy" content="${policy}" />\n    <title>`,
    before,
    ...drawings(texts),
    ...data(feed),
    `<script type="module">${script}</script>\n  </body>`,
    after,
  ];
  return { text: parts.join(''), policy };
}

const policyFor = (script: string, styles: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${styles.map(hashOf).join(' ')}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The machines' drawings, which are our own files. */
function* drawings(texts: PageTexts): Generator<string> {
  for (const [path, text] of Object.entries(texts)) {
    const name = /^diagrams\/(.*)\.svg$/.exec(path)?.[1];
    if (name !== undefined)
      yield `<template id="diagram-${name}">${withoutStyle(text)}</template>\n`;
  }
}

/**
 * The entries, which strangers may have written. They are data blocks, which a browser neither runs nor reads
 * as markup.
 */
function* data({ about, history }: Feed): Generator<string> {
  const { first, next } = history;
  yield block('about', JSON.stringify({ ...about, first, next }));
  for (
    let batch = history.batch(first, blockSize);
    batch;
    batch = history.batch(batch.next, blockSize)
  )
    yield block('entries', batch.text);
}

/** Only "<" could end the block, and in JSON it occurs only within strings, where it can be escaped. */
const block = (kind: string, text: string): string =>
  `<script type="text/plain" data-report="${kind}">${text.replaceAll('<', String.raw`\u003c`)}</script>\n`;
