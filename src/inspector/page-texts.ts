import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The page's files and the diagrams that it shows, by the path that they are asked for. */
export type PageTexts = Readonly<Record<string, string>>;

/** Reads them where they are written. The build puts the texts in the place of this module: a bundle has no files beside it. */
export async function readPageTexts(): Promise<PageTexts> {
  const page = await textsIn('page', ['.html', '.css', '.js', '.svg']);
  const drawings = await textsIn('../../visualizations', ['.svg']);
  return Object.fromEntries([
    ...page,
    ...drawings.map(([name, text]) => [`diagrams/${name}`, text] as const),
  ]);
}

async function textsIn(path: string, types: readonly string[]): Promise<[string, string][]> {
  const folder = fileURLToPath(new URL(path, import.meta.url));
  const names = (await readdir(folder)).filter((name) => types.includes(extname(name)));
  return Promise.all(
    names.map(async (name): Promise<[string, string]> => [
      name,
      await readFile(join(folder, name), 'utf8'),
    ]),
  );
}
