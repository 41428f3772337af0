import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { writePages } from './pages.ts';
import { writeReference } from './reference.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/* Builds the site into site/dist: the pages from the repository's Markdown, the reference from its types. */
rmSync(here('pages'), { recursive: true, force: true });
writePages(here('..'), here('pages'));
await writeReference(here('..'), here('pages/reference'));
for (const name of ['index.md', 'playground.md']) cpSync(here(name), here(`pages/${name}`));
mkdirSync(here('pages/public'), { recursive: true });
cpSync(here('../src/watch/inspector/page/icon.svg'), here('pages/public/icon.svg'));
await build(here('.'));
