import { printsVariable, runsWhatItGets, withoutAliases } from './code-texts.ts';
import { compact } from './compact.ts';
import { activated } from './glob.ts';
import { closing, splitAt, valuesOf, type Names } from './literals.ts';
import {
  blurred,
  isKnown,
  isRemote,
  isSecret,
  remoteMark,
  secretMark,
  unknownMark,
} from './marks.ts';
import { CommandLine, type OptionShape } from './options.ts';
import { isLocal } from './network.ts';
import { touch } from './file-programs.ts';
import { anyProgram, readsSecret, type Program } from './program.ts';
import type { Running } from './running.ts';

type Call = (at: Running, args: readonly (readonly string[])[], whole: string) => string | void;

const onPaths =
  (action: 'delete' | 'write' | 'append' | 'move' | 'mode', isTree = false): Call =>
  (at, [paths = []]) => {
    for (const path of paths) touch(at, action, path, { isTree });
  };

const removeNode: Call = (at, [paths = []], whole) => {
  for (const path of paths)
    touch(at, 'delete', path, {
      isTree: /recursive/.test(whole) || /rmSync|rmdirSync/.test(whole),
    });
};

const moves: Call = (at, [from = [], to = []]) => {
  for (const path of from) touch(at, 'move', path, { isTree: true });
  for (const path of to) touch(at, 'write', path);
};

const opens: Call = (at, [paths = [], modes = []], whole) => {
  const mode = modes[0] ?? (/mode\s*=\s*['"]([wax])/.exec(whole)?.[1] || 'r');
  for (const path of paths)
    if (/^[wax+>]|^r\+/.test(mode)) touch(at, /^(?:a|>>)/.test(mode) ? 'append' : 'write', path);
    else if (readsSecret(at, path)) return secretMark;
  return undefined;
};

const reads: Call = (at, [paths = []]) =>
  paths.some((path) => readsSecret(at, path)) ? secretMark : undefined;

/** Runs what a call passes to a shell, or as a program with its arguments. */
const starts: Call = (at, [first = []], whole) => {
  const list = /^[^(]*\(\s*\[([^]*?)\]/.exec(whole)?.[1];
  const names: Names = { values: new Map(), home: at.state.around.home, folder: at.folder };
  if (list !== undefined) {
    const words = splitAt(list, /,/).map((word) => valuesOf(word, names)[0] ?? unknownMark);
    return at.apart(() => at.run(words, { via: 'code' }));
  }
  const withArgs =
    /^[^(]*(?:(?:spawn|execFile)(?:Sync)?|exec[lv]p?e?)\(\s*([^,]+),\s*\[([^\]]*)\]/.exec(whole);
  if (withArgs) {
    // Python's functions are given the program's name once more.
    const program = whole.startsWith('os.') ? [] : [withArgs[1]!];
    const words = [...program, ...splitAt(withArgs[2]!, /,/)].map(
      (word) => valuesOf(word, names)[0] ?? unknownMark,
    );
    return at.apart(() => at.run(words, { via: 'code' }));
  }
  const several = splitAt(whole.slice(whole.indexOf('(') + 1, -1), /,/);
  if (/^(?:system|exec|os\.exec\w*|Kernel\.\w+)\(/.test(whole) && several.length > 1) {
    const words = several
      .map((word) => valuesOf(word, names)[0] ?? unknownMark)
      .filter((word) => word !== unknownMark);
    return at.apart(() => at.run(/os\.exec/.test(whole) ? words.slice(1) : words, { via: 'code' }));
  }
  return first.map((code) => at.apart(() => at.code(code))).join('');
};

const sends: Call = (at, args, whole) => {
  const to = args[0]?.[0] ?? '';
  at.emit({
    kind: 'send',
    to,
    text:
      args.flat().join(' ') + (/\benviron\b|process\.env\b(?!\s*\.)/.test(whole) ? secretMark : ''),
  });
  return isLocal(to) ? undefined : blurred('');
};

/** Whether code is put together out of something that nobody can read. */
const isEncoded = (code: string): boolean =>
  /base64|\batob\b|fromCharCode|fromhex|unhexlify|\bdecode\b|decompress|pack\(/.test(code);

const evaluates: Call = (at, [codes = []], whole) => {
  for (const text of codes.length === 0 ? [''] : codes)
    if ((text.length > 3 && !/^\w+$/.test(text)) || isEncoded(whole))
      at.emit({
        kind: 'code',
        text: isEncoded(whole) ? unknownMark : text,
        language: whole.slice(0, 40),
      });
};

/** `array_map('unlink', glob('*'))` of PHP. */
const maps: Call = (at, [names = []], whole) => {
  const [, pattern] = /\bglob\(\s*["']([^"']+)["']/.exec(whole) ?? [];
  if (/^(?:unlink|rmdir)$/.test(names[0] ?? '') && pattern !== undefined)
    touch(at, 'delete', activated(pattern));
};

/** The calls that matter, in all languages at once: their names hardly meet. */
const calls: readonly (readonly [name: RegExp, call: Call])[] = [
  [
    /^(?:shutil\.)?rmtree$|^(?:FileUtils\.)?(?:rm_rf|rm_r|remove_dir|remove_entry(?:_secure)?|remove_tree)$|^rimraf(?:\.sync|Sync)?$|^(?:fs\w*\.)?(?:removeSync|emptyDirSync)$/,
    onPaths('delete', true),
  ],
  [/^(?:\w+\.)*(?:rm|rmSync|rmdir|rmdirSync)$|^Deno\.remove(?:Sync)?$/, removeNode],
  [
    /^(?:os\.)(?:remove|unlink)$|^(?:\w+\.)*unlink(?:Sync)?$|^File\.(?:delete|unlink)$|^FileUtils\.rm(?:_f)?$/,
    onPaths('delete'),
  ],
  [
    /^(?:shutil\.)?move$|^os\.(?:rename|replace)$|^(?:\w+\.)*rename(?:Sync)?$|^FileUtils\.mv$/,
    moves,
  ],
  [
    /^(?:\w+\.)*(?:writeFile|writeFileSync|truncateSync|createWriteStream)$|^(?:File|IO)\.(?:write|binwrite)$|^file_put_contents$|^os\.truncate$/,
    onPaths('write'),
  ],
  [/^(?:\w+\.)*(?:appendFile|appendFileSync)$/, onPaths('append')],
  [/^array_(?:map|walk)$/, maps],
  [
    /^os\.(?:chmod|chown)$|^(?:\w+\.)*(?:chmodSync|chownSync)$|^(?:File|FileUtils)\.(?:chmod|chmod_R)$/,
    onPaths('mode'),
  ],
  [/^(?:io\.|codecs\.)?open$|^(?:File|IO)\.(?:open|new)$|^fopen$/, opens],
  [
    /^(?:\w+\.)*(?:readFile|readFileSync|createReadStream)$|^(?:File|IO)\.(?:read|readlines|foreach)$|^file_get_contents$|^readfile$|^Bun\.file$|^dotenv_values$/,
    reads,
  ],
  [
    /^os\.(?:system|popen|execute|exec[lv]p?e?|spawn[lv]p?e?)$|^(?:subprocess|sp)\.\w+$|^(?:commands\.)?getoutput$|^pty\.spawn$|^(?:\w+\.|require\([^)]*\)\.)*(?:execSync|spawnSync|execFileSync|spawn|execFile)$|^(?:child_process|cp|fs)\.exec$|^(?:Kernel\.)?(?:system|exec|spawn)$|^(?:IO\.|io\.)?popen$|^shell_exec$|^passthru$|^proc_open$|^Open3\.\w+$|^(?:run|check_output|check_call|call|Popen)$|^Bun\.spawn(?:Sync)?$|^execa\w*$/,
    starts,
  ],
  [
    /^(?:requests|httpx|session|client)\.(?:post|put|patch|get|request)$|(?:^|\.)urlopen$|^(?:\w+\.)?fetch$|^https?\.(?:request|get)$|^axios(?:\.\w+)?$|^Net::HTTP\.\w+$|^(?:\w+\.)?(?:sendto|create_connection|connect)$|^curl_init$/,
    sends,
  ],
  [/^(?:eval|exec|Function|compile|assert|instance_eval)$/, evaluates],
];

const mostCalls = 200;

/** Reads code of another language: what its calls do, as far as their arguments are literal. */
export function readCode(at: Running, given: string, isFile: boolean, language: string): string {
  const text = compact(given);
  if (isRemote(text) || text === unknownMark) {
    at.emit({ kind: 'code', text, language });
    return unknownMark;
  }
  const names: Names = { values: new Map(), home: at.state.around.home, folder: at.folder };
  assignments(text, names);
  let output = '';
  let count = 0;
  const code = withoutAliases(isFile ? text.replaceAll(/^\s*(?:#|\/\/).*$/gm, '') : text);
  for (const found of code.matchAll(
    /(?:require\([^)]*\)|[A-Za-z_$][\w$]*|\))(?:(?:\.|::)[\w$]+)*\(|\b(?:system|exec|unlink|rmtree|qx|remove_tree|rm_rf)\s+(?=['"[(]|glob\b)/g,
  )) {
    if (++count > mostCalls * (isFile ? 4 : 1)) break;
    output += readCall(at, code, found.index, found[0], names, isFile) ?? '';
  }
  for (const [, ...found] of code.matchAll(
    /(?<![\w'"])(?:`([^`]+)`|%x[({[]([^)}\]]{1,2000})[)}\]]|qx[({/]([^)}/]{1,2000})[)}/])/g,
  ))
    if (/perl|ruby|php/.test(language)) output += at.apart(() => at.code(found.join('')));
  if (runsWhatItGets(code, output)) at.emit({ kind: 'code', text: remoteMark, language });
  output += methods(at, code);
  if (printsVariable(code)) output += secretMark;
  if (
    /\bprint(?:ln)?\b[^\n]*\bos\.environ\s*\)|JSON\.stringify\(process\.env\)|console\.log\(process\.env\)|\bENV\.to_h|print\s+%ENV|json\.dumps\(dict\(os\.environ\)\)/.test(
      code,
    )
  )
    output += secretMark;
  if (isSecret(output) && at.words.length > 0) sendsSecret(at, code);
  return isSecret(output) ? secretMark : unknownMark;
}

/** A program that reads a secret and speaks to another machine may send it. */
function sendsSecret(at: Running, code: string): void {
  const [, to] = /\b(?:https?:\/\/([^\s'"`/]+))/.exec(code) ?? [];
  if (
    to !== undefined &&
    !isLocal(to) &&
    /requests|urllib|http|fetch|socket|axios|curl|Net::|LWP/.test(code)
  )
    at.emit({ kind: 'send', to, text: secretMark });
}

function readCall(
  at: Running,
  code: string,
  index: number,
  head: string,
  names: Names,
  isFile: boolean,
): string | undefined {
  const callee = head
    .replace(/\s*\(?\s*$/, '')
    .replace(/^require\([^)]*\)\./, 'fs.')
    .replace(/^\)\./, '');
  const call = calls.find(([shape]) => shape.test(callee))?.[1];
  if (call === undefined) return undefined;
  const open = head.endsWith('(') ? index + head.length - 1 : index + head.length;
  const end = head.endsWith('(') ? closing(code, open) : endOfStatement(code, open);
  const inner = head.endsWith('(') ? code.slice(open + 1, end) : code.slice(open, end);
  const args = splitAt(inner, /,/).map((part) =>
    valuesOf(part.replace(/^\w+\s*=\s*(?!=)/, ''), names),
  );
  if (isFile && !args.flat().every((text) => isKnown(text)) && call !== sends && call !== evaluates)
    return undefined;
  return call(at, args, `${callee}(${inner})`) ?? undefined;
}

const endOfStatement = (code: string, start: number): number => {
  const end = code.slice(start).search(/[;\n}]/);
  return end === -1 ? code.length : start + end;
};

/** `Path('x').unlink()` and the like: methods of a path. */
function methods(at: Running, code: string): string {
  let output = '';
  for (const [, path, more = '', method = ''] of code.matchAll(
    /\bPath(?:\.home\(\)|\(\s*['"]([^'"]+)['"]\s*\))((?:\s*\/\s*['"][^'"]*['"]){0,20})\s*\)?(?:\.\w+\(\))*\.(\w+)\(/g,
  )) {
    const parts = [...more.matchAll(/['"]([^'"]*)['"]/g)].map(([, part = '']) => `/${part}`);
    const name = (path ?? '~').replace(/^~/, at.state.around.home) + parts.join('');
    if (method === 'unlink' || method === 'rmdir') touch(at, 'delete', name);
    if (method.startsWith('write_')) touch(at, 'write', name);
    if (method.startsWith('read_') && readsSecret(at, name)) output += secretMark;
    if (method === 'chmod') touch(at, 'mode', name);
    if (/^(?:rename|replace)$/.test(method)) touch(at, 'move', name, { isTree: true });
  }
  return output;
}

/** Records the names that are given literals, and those of loops over them. */
function assignments(text: string, names: Names): void {
  for (const line of text.split(/[;\n]/).slice(0, 2_000)) {
    const [, name, value] =
      /^\s*(?:const|let|var|my|our|local)?\s*[$@]?([A-Za-z_]\w*)\s*=\s*([^=][^]*)$/.exec(line) ??
      [];
    if (name !== undefined && value !== undefined) names.values.set(name, valuesOf(value, names));
    const [, each, list] =
      /\bfor(?:each)?\s*\(?\s*(?:const|let|var|my)?\s*\$?(\w+)\s+(?:in|of)\s+[[(]([^\])]*)[\])]/.exec(
        line,
      ) ?? [];
    if (each !== undefined && list !== undefined)
      names.values.set(
        each,
        splitAt(list, /,/).flatMap((part) => valuesOf(part, names)),
      );
  }
}

interface Interpreter {
  readonly shape: OptionShape;
  /** Options whose value is code. */
  readonly code: readonly string[];
}

const node: Interpreter = {
  shape: {
    valued: 'epr',
    longValued: ['eval', 'print', 'require', 'import', 'loader', 'env-file'],
    isStrict: true,
  },
  code: ['e', 'p', 'pe', 'eval', 'print'],
};
const perl: Interpreter = { shape: { valued: 'eEIMm', isStrict: true }, code: ['e', 'E'] };

const interpreters: Readonly<Record<string, Interpreter>> = {
  python: { shape: { valued: 'cmWX', isStrict: true }, code: ['c'] },
  node,
  deno: { shape: { longValued: ['ext'], isStrict: true }, code: [] },
  tsx: node,
  'ts-node': node,
  perl,
  ruby: { shape: { valued: 'eIrC', isStrict: true }, code: ['e'] },
  php: { shape: { valued: 'rfdBRE', isStrict: true }, code: ['r', 'B', 'R', 'E'] },
  lua: { shape: { valued: 'el', isStrict: true }, code: ['e'] },
  Rscript: { shape: { valued: 'e', isStrict: true }, code: ['e'] },
  R: { shape: { valued: 'ef' }, code: ['e'] },
};

const interpret: Program = (at, args, given) => {
  const name = { python2: 'python', pypy: 'python', nodejs: 'node' }[given] ?? given;
  const { shape, code: options } = interpreters[name]!;
  const isInPlace =
    /^(?:perl|ruby)$/.test(name) &&
    args.some((text) => /^-[a-z0-9]*i/.test(text) && !text.startsWith('-I'));
  const line = new CommandLine(
    name === 'perl' || name === 'ruby'
      ? args
          .map((text) => text.replace(/^(-[a-df-zA-DF-Z0-9]*?)i(?:\.\w+)?(?=e?$)/, '$1'))
          .filter((text) => text !== '-')
      : args,
    shape,
  );
  const files = line.all('env-file').map((file) => readsSecret(at, file));
  void files;
  if (isInPlace) for (const file of line.operands) touch(at, 'edit', file);
  const texts = [...line.all(...options)];
  const module = name === 'python' ? line.value('m') : undefined;
  if (module !== undefined)
    return /^(?:pip|venv|pytest)$/.test(module)
      ? at.run([module, ...line.operands])
      : anyProgram(at, line.operands, module);
  if (texts.length > 0) {
    const given_ = line.operands.map((file) => (readsSecret(at, file) ? secretMark : '')).join('');
    const isShown = /^(?:node|tsx|ts-node)$/.test(name) && line.has('p', 'print', 'pe');
    const output = texts
      .map((text) => readCode(at, isShown ? `console.log(${text})` : text, false, name))
      .join('');
    return given_ + blurred(at.stdin + output);
  }
  const [file, ...rest] =
    name === 'deno'
      ? line.operands.filter((text) => !/^(?:run|eval|test|-.+)$/.test(text))
      : line.operands;
  if (name === 'deno' && line.operands[0] === 'eval') return readCode(at, file ?? '', false, name);
  if (file === undefined || file === '-')
    return at.stdin === '' ? '' : readCode(at, at.stdin, false, name);
  const path = at.path(file);
  for (const text of rest) readsSecret(at, text);
  const text = at.contentOf(path);
  if (text === unknownMark || at.enters(path)) return unknownMark;
  return readCode(at, text, !at.state.files.has(path), name);
};

/** awk runs programs with `system` and pipes, and writes files. */
const awk: Program = (at, args) => {
  const line = new CommandLine(args, {
    valued: 'fFv',
    longValued: ['file', 'field-separator', 'assign'],
    isStrict: true,
  });
  const [program = '', ...files] = line.has('f', 'file')
    ? [at.contentOf(at.path(line.value('f', 'file')!)), ...line.operands]
    : line.operands;
  for (const [, code = ''] of program.matchAll(/\bsystem\(\s*"((?:[^"\\]|\\.)*)"/g))
    at.apart(() => at.code(code.replaceAll('\\"', '"')));
  for (const [, code = ''] of program.matchAll(/\|\s*"((?:[^"\\]|\\.)*)"/g))
    at.apart(() => at.code(code, { stdin: unknownMark }));
  for (const [, code = ''] of program.matchAll(/"((?:[^"\\]|\\.)*)"\s*\|\s*getline/g))
    at.apart(() => at.code(code));
  for (const [, file = ''] of program.matchAll(/>\s*"([^"]+)"/g)) touch(at, 'write', file);
  if (/\bsystem\(\s*\$|\bsystem\([^")]*\$0/.test(program)) return at.apart(() => at.code(at.stdin));
  const isSecretRead = files.map((file) => readsSecret(at, file)).includes(true);
  if (isSecretRead || /\bENVIRON\b/.test(program)) return secretMark;
  if (/^\{\s*print\s*(?:\$0)?\s*\}$/.test(program.trim()) && files.length === 0) return at.stdin;
  const printed = /^BEGIN\s*\{\s*printf?\s*"((?:[^"\\]|\\.)*)"\s*;?\s*\}$/.exec(
    program.trim(),
  )?.[1];
  return printed ?? blurred(at.stdin);
};

/** Editors that run commands from their command line or their input. */
const editor: Program = (at, args, name) => {
  const line = new CommandLine(
    args.map((text) => (text.startsWith('+') ? `-c${text.slice(1)}` : text)),
    { valued: 'cSu', longValued: ['cmd'] },
  );
  const commands = [
    ...line.all('c', 'cmd'),
    ...(/^(?:ed|ex)$/.test(name) || line.has('s') ? at.stdin.split('\n') : []),
  ];
  for (const one of commands) {
    const [, code] = /^:?\s*(?:silent!?\s*)?(?:%|\d+|[.,$]*)*!\s*([^]+)$/.exec(one) ?? [];
    if (code !== undefined) at.apart(() => at.code(code));
    const [, call] =
      /system\(\s*["']([^"']+)/.exec(one) ?? /\bos\.execute\(["']([^"']+)/.exec(one) ?? [];
    if (call !== undefined) at.apart(() => at.code(call));
    if (/^:?(?:w|x|wq)!?(?:\s|$)/.test(one))
      for (const file of line.operands) touch(at, 'edit', file);
  }
  return line.operands.some((file) => readsSecret(at, file)) ? secretMark : '';
};

/** Interpreters of other languages, and programs with a language of their own. */
export const code: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...[...Object.keys(interpreters), 'python2', 'pypy', 'nodejs'].map((name): [string, Program] => [
    name,
    interpret,
  ]),
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name): [string, Program] => [name, awk]),
  ...['vim', 'vi', 'nvim', 'ex', 'ed'].map((name): [string, Program] => [name, editor]),
]);
