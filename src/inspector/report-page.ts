import { createHash } from 'node:crypto';
import type { Feed } from './feed.ts';
import { withoutStyle } from './page-files.ts';
import { type PageTexts, readPageTexts } from './page-texts.ts';

/** About how many characters of entries stand in one block: the page reads one after the other. */
const blockSize = 1_000_000;

/**
 * The inspector's page with all of a feed in it, as one document that needs no network. Its policy lets
 * it run its own script, fetch nothing, and make no markup of a text.
 */
export async function reportPage(feed: Feed): Promise<string> {
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
  return [
    head,
    `<meta http-equiv="content-security-policy" content="${policyFor(script, styles)}" />\n    <title>`,
    before,
    ...drawings(texts),
    ...data(feed),
    `<script type="module">${script}</script>\n  </body>`,
    after,
  ].join('');
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

/** The machines' drawings, which are ours. */
function* drawings(texts: PageTexts): Generator<string> {
  for (const [path, text] of Object.entries(texts)) {
    const name = /^diagrams\/(.*)\.svg$/.exec(path)?.[1];
    if (name !== undefined)
      yield `<template id="diagram-${name}">${withoutStyle(text)}</template>\n`;
  }
}

/** What strangers may have written: data blocks, which a browser never runs nor reads as markup. */
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

/** Only "<" could end the block, and it stands in the texts of JSON alone. */
const block = (kind: string, text: string): string =>
  `<script type="text/plain" data-report="${kind}">${text.replaceAll('<', String.raw`\u003c`)}</script>\n`;
