/** What dist/ was built from, so that nothing is built twice. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist/built-from');
const folders = ['machines', 'scripts', 'src'];
const files = ['package-lock.json', 'package.json', 'tsconfig.build.json', 'tsconfig.json'];

/** Records which sources the build in dist/ was made from; the last step of `npm run build`. */
export const stampBuild = (): void => writeFileSync(stamp, sources());

/** Whether dist/ holds a complete build of the current sources. */
export function isBuilt(): boolean {
  try {
    // A later build that did not finish leaves an old stamp.
    const isWhole = statSync(stamp).mtimeMs >= statSync(join(root, 'dist/src/index.js')).mtimeMs;
    return isWhole && readFileSync(stamp, 'utf8') === sources();
  } catch {
    return false;
  }
}

/** One hash of the names and contents of everything that a build reads. */
function sources(): string {
  const hash = createHash('sha256');
  for (const file of [...folders.flatMap(filesIn), ...files].toSorted())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length));
