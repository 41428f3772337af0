import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** The page's files and the diagrams that it shows, by their path in the URL. */
export type PageTexts = Readonly<Record<string, string>>;

/**
 * Reads them from the source tree. The build replaces this module with the texts: a bundle has no files
 * beside it.
 */
export async function readPageTexts(): Promise<PageTexts> {
  const page = await textsIn('page', ['.html', '.css', '.svg']);
  const drawings = await textsIn('../../../visualizations', ['.svg']);
  return Object.fromEntries([
    ...page,
    ['main.js', script()],
    ...drawings.map(([name, text]) => [`diagrams/${name}`, text] as const),
  ]);
}

let bundled: string | undefined;

/**
 * Returns the page's modules, and the modules of this package that they import, as one script. They are
 * bundled once.
 */
function script(): string {
  return (bundled ??= bundle());
}

function bundle(): string {
  const { outputFiles } = buildSync({
    // Not the working directory of the process, which may be gone.
    absWorkingDir: fileURLToPath(new URL('page', import.meta.url)),
    entryPoints: [fileURLToPath(new URL('page/main.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    target: 'es2023',
    write: false,
    charset: 'utf8',
  });
  return outputFiles[0]!.text;
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
