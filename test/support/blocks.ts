import { readdirSync, readFileSync } from 'node:fs';

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** The line of the page that opens it, from 1. */
  readonly line: number;
  readonly language: string;
  /** Its lines, without the page's indentation. */
  readonly text: string;
  /** The nearest heading above it. */
  readonly heading: string;
}

const root = new URL('../../', import.meta.url);

/** The README and the documentation. */
export const pages: readonly string[] = [
  'README.md',
  ...readdirSync(new URL('docs', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(new URL(page, root), 'utf8');
  return [...text.matchAll(/^( *)```(\w+)[^\n]*\n([^]*?)^ *```$/gm)].map(
    ({ 1: indent = '', 2: language = '', 3: lines = '', index }) => ({
      page,
      line: text.slice(0, index).split('\n').length,
      language,
      text: lines.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trimEnd(),
      heading: /.*^#+ ([^\n]+)$/ms.exec(text.slice(0, index))?.[1] ?? '',
    }),
  );
}

/** The text of the first block of a page in this language that contains these words. */
export const blockWith = (page: string, language: string, words: string): string =>
  blocksOf(page).find((block) => block.language === language && block.text.includes(words))!.text;

/** What was typed in a terminal, and what that printed. */
export interface Step {
  readonly typed: string;
  readonly printed: string;
}

/** The steps of a `console` block. A command goes on where its line ends with a bar or a backslash. */
export function stepsOf({ text }: Block): readonly Step[] {
  return text
    .split(/^[$#] /m)
    .slice(1)
    .map((step) => {
      const [, typed = '', printed = ''] = /^((?:[^\n]*[|\\]\n)*[^\n]*)\n?([^]*)$/.exec(step)!;
      return { typed, printed: printed.trimEnd() };
    });
}
