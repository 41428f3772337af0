import { dirname, join } from 'node:path';
import { isKnown, secretMark, unknownMark } from './marks.ts';
import { CommandLine } from './options.ts';
import { absolute } from './paths.ts';
import { anyProgram, readsSecret, type Program } from './program.ts';
import type { Running } from './running.ts';
import { recipesOf } from './recipes.ts';
import { foldersAbove } from '../../base/folders-above.ts';
import { inTable } from '../../base/json.ts';

const dockerRun =
  'a,add-host,c,cap-add,cap-drop,cpus,device,dns,e,entrypoint,env,env-file,expose,gpus,h,hostname,ip,l,label,link,m,memory,mount,name,net,network,network-alias,p,pid,platform,publish,pull,restart,runtime,security-opt,shm-size,stop-signal,tmpfs,u,ulimit,user,userns,v,volume,volumes-from,w,workdir'.split(
    ',',
  );

const container: Program = (at, args, name) => {
  const line = new CommandLine(args, {
    longValued: [
      'context',
      'host',
      'config',
      'log-level',
      'file',
      'project-name',
      'profile',
      'env-file',
      'project-directory',
    ],
    valued: 'cHfp',
    isStrict: true,
  });
  const words = [...line.operands];
  if (words[0] === 'compose' || words[0] === 'container') words.shift();
  const [command, ...rest] = words;
  const inner = new CommandLine(rest, {
    valued: 'acehlmpuvw',
    longValued: dockerRun,
    isStrict: true,
  });
  for (const file of inner.all('env-file')) void readsSecret(at, file);
  if (command === 'exec') return inside(at, name, 'remote', inner.operands.slice(1));
  if (command !== 'run' && command !== 'create') {
    if (/^(?:build|buildx|push)$/.test(command ?? '')) return unknownMark;
    return anyProgram(at, rest, name);
  }
  const [, ...own] = inner.operands;
  const entry = inner.value('entrypoint');
  const program = entry === undefined ? own : [entry, ...own];
  const mounts = [
    ...inner.all('v', 'volume').map((text) => text.split(':')),
    ...inner
      .all('mount')
      .map((text) => [
        /(?:source|src)=([^,]*)/.exec(text)?.[1] ?? '',
        /(?:target|dst|destination)=([^,]*)/.exec(text)?.[1] ?? '',
        /readonly|\bro\b/.test(text) ? 'ro' : '',
      ]),
  ].filter(
    ([from = '', to = '', mode = '']) =>
      /^[./~]/.test(from) && to !== '' && !mode.split(',').includes('ro'),
  );
  if (program.length === 0) return unknownMark;
  return mounts.length === 0
    ? inside(at, name, 'container', program)
    : mounted(at, program, mounts, inner);
};

/** A container that has folders of this machine: they are links to these. */
function mounted(
  at: Running,
  program: readonly string[],
  mounts: readonly (readonly string[])[],
  line: CommandLine,
): string {
  return at.apart((state) => {
    state.mounts = new Map(
      mounts.map(([from = '', to = '']) => [
        to === '/' ? '/' : to.replace(/\/$/, ''),
        at.path(from),
      ]),
    );
    const folder = line.value('w', 'workdir');
    const isHere = mounts.some(
      ([, to = '']) => program.some((text) => text.includes(to)) || folder === to,
    );
    if (!isHere) state.where = 'container';
    return at.run(program, { via: 'docker', folder });
  });
}

function inside(
  at: Running,
  name: string,
  where: 'container' | 'remote',
  words: readonly string[],
): string {
  return at.apart((state) => {
    state.where = where;
    return at.run(words, { via: name, folder: '/' });
  });
}

const kubectl: Program = (at, args, name) => {
  const line = new CommandLine(args, {
    valued: 'ncflop',
    longValued: [
      'namespace',
      'container',
      'context',
      'kubeconfig',
      'filename',
      'selector',
      'output',
      'cluster',
      'user',
    ],
  });
  const [command, what = ''] = line.operands;
  if (command === 'exec') {
    const dashes = args.indexOf('--');
    return inside(
      at,
      name,
      'remote',
      dashes === -1 ? line.operands.slice(2) : args.slice(dashes + 1),
    );
  }
  if (command === 'cp' && line.operands.slice(1).some((text) => readsSecret(at, text)))
    at.emit({ kind: 'send', to: name, text: secretMark });
  const isSecretShown =
    command === 'get' &&
    /^secrets?(?:\/|$)/.test(what) &&
    /^(?:y|j|go-template|jsonpath|custom)/.test(line.value('o', 'output') ?? '');
  if (isSecretShown || (command === 'config' && line.has('raw'))) return secretMark;
  return unknownMark;
};

/** Finds a file of the project in the folder or above it. */
function nearest(
  at: Running,
  names: readonly string[],
  folder = at.folder,
): { readonly path: string; readonly text: string } | undefined {
  for (const above of foldersAbove(folder))
    for (const name of names) {
      const path = join(above, name);
      const { files, around } = at.state;
      const text = files.get(path) ?? around.disk.read(path);
      if (text !== undefined) return { path, text };
    }
  return undefined;
}

/** The lists of npm's own commands that are names of scripts too. */
const shortcuts: Readonly<Record<string, string>> = {
  test: 'test',
  t: 'test',
  start: 'start',
  stop: 'stop',
  restart: 'restart',
};
const installs = new Set([
  'install',
  'i',
  'ci',
  'add',
  'update',
  'rebuild',
  'publish',
  'pack',
  'remove',
  'uninstall',
  'create',
  'init',
  'audit',
  'outdated',
  'ls',
  'list',
  'view',
  'info',
  'login',
  'logout',
  'link',
  'config',
  'cache',
  'why',
  'version',
  'unpublish',
  'deprecate',
  'owner',
  'access',
  'token',
  'dist-tag',
  'root',
  'bin',
  'prefix',
  'global',
  'x',
  'up',
  'upgrade',
]);

const nodeRunner: Program = (at, args, name) => {
  if (name === 'bun' && /^(?:-e|-p|--eval|--print)/.test(args[0] ?? ''))
    return at.run(['node', ...args], { via: 'bun' });
  if (name === 'bun' && args[0] === 'run' && args[1] === '-')
    return at.run(['node', '-'], { via: 'bun' });
  const line = new CommandLine(args, {
    valued: 'wcCF',
    longValued: ['prefix', 'workspace', 'filter', 'call', 'cwd', 'dir', 'userconfig', 'registry'],
    isStrict: false,
  });
  const call = line.value('call', 'c');
  const [command = '', ...rest] = line.operands;
  const at1 = line.value('prefix', 'cwd', 'dir', 'C');
  const folder = at1 === undefined ? at.folder : at.path(at1);
  if (command === 'exec' || command === 'x' || command === 'dlx') {
    if (call !== undefined) return at.apart(() => at.code(call));
    return installed(at, rest);
  }
  if (
    (command === 'token' && rest[0] === 'create') ||
    (command === 'config' && /_authToken|_auth|_password/.test(rest.join(' ')))
  )
    return secretMark;
  if (command === 'pkg' || command === 'config' || command === 'set-script') setsCode(at, rest);
  const script =
    command === 'run' || command === 'run-script'
      ? rest[0]
      : (inTable(shortcuts, command) ??
        (name === 'npm' || installs.has(command) ? undefined : command));
  if (script !== undefined) return runPackageScript(at, script, folder);
  return unknownMark;
};

/** What is written down as a script, or as the shell of all scripts, runs later: it is read as if it ran now. */
function setsCode(at: Running, args: readonly string[]): void {
  for (const [index, text] of args.entries()) {
    const [, code] =
      /^scripts\.[\w:-]+=([^]*)$|^script-shell=([^]*)$/.exec(text)?.filter(Boolean) ?? [];
    const value = text === 'script-shell' ? args[index + 1] : code;
    if (value !== undefined) at.apart(() => at.code(value));
  }
}

function runPackageScript(at: Running, name: string, folder: string): string {
  const found = nearest(at, ['package.json'], folder);
  if (found === undefined || !isKnown(found.text) || at.enters(`${found.path}#${name}`))
    return unknownMark;
  let scripts: Readonly<Record<string, unknown>> = {};
  try {
    scripts = (JSON.parse(found.text) as { scripts?: Record<string, unknown> }).scripts ?? {};
  } catch {
    return unknownMark;
  }
  const codes = [`pre${name}`, name, `post${name}`].flatMap((one) =>
    Object.hasOwn(scripts, one) ? [scripts[one]] : [],
  );
  return at.apart((state) => {
    state.folders = [dirname(found.path)];
    return codes.map((code) => (typeof code === 'string' ? at.code(code) : '')).join('');
  });
}

const installed = (at: Running, words: readonly string[]): string =>
  words.length === 0
    ? unknownMark
    : at.run([words[0]!.replace(/^(@?[^@]+)@.*$/, '$1'), ...words.slice(1)], { via: 'npx' });

const npx: Program = (at, args) => {
  const line = new CommandLine(args, {
    valued: 'pc',
    longValued: ['package', 'call'],
    isStrict: true,
  });
  const call = line.value('c', 'call');
  return call === undefined ? installed(at, line.operands) : at.apart(() => at.code(call));
};

const make: Program = (at, args) => {
  const line = new CommandLine(args, {
    valued: 'fCjIoW',
    longValued: ['file', 'makefile', 'directory', 'jobs', 'eval'],
  });
  if (line.has('n', 'dry-run', 'just-print', 'q')) return unknownMark;
  const folder = line.value('C', 'directory');
  const where = folder === undefined ? at.folder : at.path(folder);
  const file = line.value('f', 'file', 'makefile');
  const text =
    file === '-'
      ? at.stdin
      : file === undefined
        ? nearestHere(at, where, ['GNUmakefile', 'makefile', 'Makefile'])
        : at.contentOf(absolute(file, where));
  const code =
    line.all('eval').join('\n') + (text === undefined || !isKnown(text) ? '' : `\n${text}`);
  if (at.enters(`make ${where} ${args.join(' ')}`)) return unknownMark;
  const assigned = new Map(
    line.operands.flatMap((one) => {
      const [, name, value] = /^(\w+)=([^]*)$/.exec(one) ?? [];
      return name === undefined ? [] : [[name, value ?? ''] as const];
    }),
  );
  const shell = assigned.get('SHELL');
  if (shell !== undefined) at.apart(() => at.code(shell));
  const targets = line.operands.filter((one) => !/^\w+=/.test(one));
  return at.apart((state) => {
    state.folders = [where];
    for (const recipe of recipesOf(code, targets, assigned)) at.code(recipe);
    return unknownMark;
  });
};

function nearestHere(at: Running, folder: string, names: readonly string[]): string | undefined {
  for (const name of names) {
    const path = join(folder, name);
    const text = at.state.files.get(path) ?? at.state.around.disk.read(path);
    if (text !== undefined) return text;
  }
  return undefined;
}

const just: Program = (at, args) => {
  const line = new CommandLine(args, {
    valued: 'fd',
    longValued: ['justfile', 'working-directory', 'set'],
  });
  const file = line.value('f', 'justfile');
  const text =
    file === undefined
      ? nearest(at, ['justfile', '.justfile', 'Justfile'])?.text
      : at.contentOf(at.path(file));
  if (text === undefined || !isKnown(text) || line.has('l', 'list', 'n', 'dry-run'))
    return unknownMark;
  const makefile = text
    .replaceAll(/\{\{\s*(\w+)\s*\}\}/g, '$($1)')
    .replaceAll(/^(?: {2,}|\t)(?=\S)/gm, '\t')
    .replaceAll(/^@?([\w-]+)(?:\s+[\w*+='" -]+)?:(?!=)/gm, '$1:');
  for (const recipe of recipesOf(makefile, line.operands, new Map()))
    at.apart(() => at.code(recipe));
  return unknownMark;
};

/** Programs that run another in an environment of their own: `uv run`, `poetry run`, `bundle exec`. */
const inEnvironment =
  (word: string, shapes: readonly string[] = []): Program =>
  (at, args, name) => {
    const index = args.indexOf(word);
    if (index === -1) return anyProgram(at, args, name);
    const line = new CommandLine(args.slice(index + 1), {
      longValued: ['with', 'python', 'project', 'directory', 'name', ...shapes],
      valued: 'np',
      isStrict: true,
    });
    return at.run(line.operands, { via: name });
  };

/** Programs that run others elsewhere, or what a project has written down. */
export const runners: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...['docker', 'podman', 'nerdctl', 'docker-compose', 'podman-compose'].map(
    (name): [string, Program] => [name, container],
  ),
  ...['kubectl', 'oc', 'k'].map((name): [string, Program] => [name, kubectl]),
  ...['npm', 'pnpm', 'yarn', 'bun'].map((name): [string, Program] => [name, nodeRunner]),
  ...['npx', 'bunx', 'pnpx'].map((name): [string, Program] => [name, npx]),
  ...['make', 'gmake'].map((name): [string, Program] => [name, make]),
  ['just', just],
  ...['uv', 'poetry', 'pipenv', 'rye', 'pdm', 'hatch'].map((name): [string, Program] => [
    name,
    inEnvironment('run'),
  ]),
  ...['bundle', 'mise', 'asdf', 'rbenv', 'pyenv'].map((name): [string, Program] => [
    name,
    inEnvironment('exec'),
  ]),
  ...['conda', 'mamba', 'micromamba'].map((name): [string, Program] => [
    name,
    inEnvironment('run'),
  ]),
]);
