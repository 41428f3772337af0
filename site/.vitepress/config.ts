import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import llmstxt from 'vitepress-plugin-llms';
import { standIns } from '../engine/stand-ins.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly exports: Readonly<Record<string, string | object>>;
};
const about =
  'Lifecycle hooks for AI coding agents, where every tool call is a state machine you can see';

const page = (text: string, link: string) => ({ text, link });

/** The groups of `docs/README.md`. */
const groups = [
  ...readFileSync(`${root}docs/README.md`, 'utf8').matchAll(
    /\*\*(.+)\*\*\n([\s\S]*?)(?=\n\*\*|$)/g,
  ),
].map(([, text = '', list = '']) => ({
  text,
  items: [...list.matchAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g)].map(([, title = '', name = '']) =>
    page(title, `/${name}`),
  ),
}));

const reference = Object.entries(exports)
  .filter(([, entry]) => typeof entry !== 'string')
  .map(([path]) => page(`hookmachine${path.slice(1)}`, `/reference/hookmachine${path.slice(1)}`));

/** The name of a heading's place, as the pages of a repository have it, which their links use. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

export default defineConfig({
  title: 'hookmachine',
  description: about,
  lang: 'en',
  srcDir: 'pages',
  outDir: 'dist',
  cleanUrls: false,
  lastUpdated: false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  markdown: { languageAlias: { mjs: 'js' }, anchor: { slugify: slugOf } },
  themeConfig: {
    logo: '/icon.svg',
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      page('Start', '/start'),
      page('Guides', '/contents'),
      page('Playground', '/playground'),
      page('Reference', '/reference/'),
    ],
    sidebar: {
      '/reference/': [{ text: 'Reference', items: reference }],
      '/': [
        {
          text: 'Start',
          items: [page('In one minute', '/start'), page('Playground', '/playground')],
        },
        ...groups,
      ],
    },
  },
  vite: {
    plugins: [standIns(), llmstxt({ domain: '' })],
    publicDir: 'public',
    build: { chunkSizeWarningLimit: 4_000 },
    esbuild: { target: 'es2023' },
  },
});
