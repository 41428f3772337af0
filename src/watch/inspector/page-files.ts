import { extname } from 'node:path';

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** Reads every file that is ever served, by its path in the URL: no path of a request reaches the disk. */
export async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const { readPageTexts } = await import('./page-texts.ts');
  return new Map(
    Object.entries(await readPageTexts()).map(([path, text]): [string, PageFile] => [
      path === 'index.html' ? '' : path,
      {
        type: types[extname(path)]!,
        body: Buffer.from(path.startsWith('diagrams/') ? withoutStyle(text) : text),
      },
    ]),
  );
}

/** Removes the style of a drawing: the page has its own, which follows its switch between light and dark. */
export const withoutStyle = (drawing: string): string =>
  drawing.replace(/<style>.*?<\/style>/s, '');
