import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, normalize, relative } from 'node:path';

/* The site has a page for each page of `docs/`, and for whatever else of the repository those pages link to. */

/** Where the repository's pages are on the site. */
const placeOf = (file: string): string =>
  file === 'docs/README.md'
    ? 'contents.md'
    : file === 'README.md'
      ? 'start.md'
      : file.startsWith('docs/')
        ? file.slice('docs/'.length)
        : file.endsWith('.md')
          ? `source/${file.replace(/(?:^|\/)README\.md$/, (end) => (end.startsWith('/') ? '/about.md' : 'about.md'))}`
          : `source/${file.replaceAll('/.', '/').replace(/\.(?=[^./]*$)/, '-')}.md`;

/** Writes the pages that the repository at `root` has, from its files under version control, into `target`. */
export function writePages(root: string, target: string): void {
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  }).split('\n');
  const known = new Set(tracked);
  const written = new Set<string>();
  const waiting = tracked.filter((file) => file === 'README.md' || /^docs\/[^/]+\.md$/.test(file));
  for (let file; (file = waiting.pop()) !== undefined;) {
    if (written.has(file)) continue;
    written.add(file);
    const text = readFileSync(join(root, file), 'utf8');
    const page = file.endsWith('.md')
      ? withLinks(text, (link) => {
          const found = fileBehind(root, join(dirname(file), link), known);
          if (found === undefined) throw new Error(`${file}: there is no file behind ${link}`);
          if (isPicture(found)) {
            write(join(target, 'public', found), readFileSync(join(root, found)));
            return `/${found}`;
          }
          waiting.push(found);
          return relative(dirname(placeOf(file)), placeOf(found)).replace(/^(?!\.)/, './');
        })
      : sourcePage(file, text);
    write(join(target, placeOf(file)), page);
  }
}

function write(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const isPicture = (file: string): boolean => /\.(?:png|svg)$/.test(file);

/** The file that a link shows: of a folder its README, or else its main file, or else its first. */
function fileBehind(root: string, link: string, known: ReadonlySet<string>): string | undefined {
  const path = normalize(link).replace(/\/$/, '');
  if (known.has(path)) return path;
  if (known.has(join(path, 'README.md'))) return join(path, 'README.md');
  const [first] = [...known].filter((file) => file.startsWith(`${path}/`));
  if (first === undefined || !statSync(join(root, path)).isDirectory()) return undefined;
  const main = ['session.yaml', 'index.ts', 'main.ts'].find((name) => known.has(join(path, name)));
  return main === undefined ? first : join(path, main);
}

/** A page that shows a file of the repository. */
function sourcePage(file: string, text: string): string {
  const language = extname(file).slice(1) || 'sh';
  const fence = '`'.repeat(
    Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)),
  );
  return `# ${file.split('/').at(-1)}\n\nThis is \`${file}\` of the repository.\n\n${fence}${language}\n${text.trimEnd()}\n${fence}\n`;
}

/** Replaces the relative links of a page, outside its samples. */
function withLinks(page: string, replaced: (link: string) => string): string {
  return page
    .split(/(^ *```[\s\S]*?^ *```)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : withoutMarkup(part).replaceAll(
            /(\]\()([^)\s#]+)(#[^)\s]*)?(\))/g,
            (whole, open: string, link: string, anchor = '', close: string) => {
              if (/^[a-z]+:/.test(link)) return whole;
              return `${open}${replaced(link)}${anchor}${close}`;
            },
          ),
    )
    .join('');
}

/** Our Markdown has no markup in it: what looks like some is text, such as `Promise<Result>`. */
const withoutMarkup = (text: string): string =>
  text
    .split(/(`+[^`]*`+)/)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;'),
    )
    .join('');
