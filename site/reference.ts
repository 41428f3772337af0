import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Application, Comment } from 'typedoc';

/** How the pages look; these options belong to the plugin, which TypeDoc's types do not know. */
const looks: object = {
  outputFileStrategy: 'modules',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  entryFileName: 'index.md',
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
};

/** Writes a page for each entry point of the package, from the TSDoc of its built types. */
export async function writeReference(root: string, target: string): Promise<void> {
  const app = await Application.bootstrapWithPlugins({
    entryPoints: entries(root).map(({ types }) => join(root, types)),
    tsconfig: join(root, 'site/tsconfig.reference.json'),
    plugin: ['typedoc-plugin-markdown'],
    // The other names are explained where the packages that they come from are.
    excludeExternals: true,
    excludePrivate: true,
    excludeInternal: true,
    disableSources: true,
    readme: 'none',
    logLevel: 'Error',
    skipErrorChecking: true,
    outputs: [{ name: 'markdown', path: target }],
    ...looks,
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('the reference could not be made');
  for (const child of project.children ?? []) {
    const entry = entries(root).find(({ types }) => types.endsWith(`/${child.name}.d.ts`));
    if (entry === undefined) throw new Error(`${child.name} is no entry point`);
    child.name = entry.name;
    child.comment = new Comment([{ kind: 'text', text: aboutOf(join(root, entry.types)) }]);
  }
  await app.generateOutputs(project);
  for (const file of readdirSync(target, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.md')) nameOnce(join(target, file));
}

/** The entry points of the package, with the files of their types. */
function entries(root: string): { readonly name: string; readonly types: string }[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.entries(exports).flatMap(([path, entry]) =>
    typeof entry === 'string' ? [] : [{ name: `hookmachine${path.slice(1)}`, types: entry.types }],
  );
}

/** What the comment at the top of an entry point says. */
function aboutOf(file: string): string {
  const [, text = ''] = /^\/\*\*(.*?)\*\//s.exec(readFileSync(file, 'utf8')) ?? [];
  return text.replaceAll(/\n \* ?/g, '\n').trim();
}

/** Corrects links to the second heading of a name where a page has only one: a type and a value share it. */
function nameOnce(file: string): void {
  const text = readFileSync(file, 'utf8');
  const corrected = text.replaceAll(
    /\]\(([^)#\s]*)#([a-z0-9]+)-(\d+)\)/g,
    (link, page: string, name: string, which: string) => {
      const linked = page === '' ? text : readFileSync(join(dirname(file), page), 'utf8');
      const headings = linked.match(new RegExp(`^#+ ${name}(?:\\(\\))?$`, 'gim')) ?? [];
      return headings.length > Number(which) ? link : `](${page}#${name})`;
    },
  );
  if (corrected !== text) writeFileSync(file, corrected);
}
