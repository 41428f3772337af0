import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

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

/** Every file that is ever served, by the path it is asked for: no path of a request reaches the disk. */
export async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const root = dirname(createRequire(import.meta.url).resolve('hookmachine/package.json'));
  const page = await filesIn(join(root, 'src', 'inspector', 'page'));
  const drawings = await filesIn(join(root, 'visualizations'), '.svg');
  return new Map([
    ...page.map(([name, file]): [string, PageFile] => [name === 'index.html' ? '' : name, file]),
    ...drawings.map(([name, file]): [string, PageFile] => [`diagrams/${name}`, plain(file)]),
  ]);
}

/** A drawing without its own style: the page has one, which follows its switch between light and dark. */
const plain = ({ type, body }: PageFile): PageFile => ({
  type,
  body: Buffer.from(body.toString().replace(/<style>.*?<\/style>/s, '')),
});

async function filesIn(folder: string, only?: string): Promise<[string, PageFile][]> {
  const names = (await readdir(folder)).filter(
    (name) => types[extname(name)] !== undefined && (only === undefined || extname(name) === only),
  );
  return Promise.all(
    names.map(async (name): Promise<[string, PageFile]> => [
      name,
      { type: types[extname(name)]!, body: await readFile(join(folder, name)) },
    ]),
  );
}
