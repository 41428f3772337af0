import { isKnown, secretMark, unknownMark, blurred } from './marks.ts';
import { CommandLine } from './options.ts';
import { absolute, followed } from './paths.ts';
import type { Program } from './program.ts';
import { sourceScript } from './scripts.ts';
import { secretName } from './state.ts';

const quiet: Program = () => '';

const changeFolder: Program = (at, args) => {
  const { state } = at;
  const operands = args.filter((text) => !/^-[LPe@]+$/.test(text) && text !== '--');
  const target = operands[0] ?? state.around.home;
  if (target === '-' || target === '') {
    const before = state.valuesOf('OLDPWD')[0] ?? unknownMark;
    if (target === '-') state.folders = [before];
    return '';
  }
  const path = absolute(target, at.folder);
  const { disk } = state.around;
  const isMade = state.files.has(path) || state.links.has(path);
  const isThere = isMade || disk.kindOf(followed(path, state, true)) === 'folder';
  state.set('OLDPWD', [at.folder]);
  const isSure = isThere || !isKnown(path);
  state.whereLeft = isSure ? [] : [at.folder];
  state.folders = [isThere ? followed(path, state, true) : path];
  return '';
};

const evaluate: Program = (at, args) => at.code(args.join(' '));

const source: Program = (at, args) => {
  const [file, ...rest] = args.filter((text) => text !== '--');
  if (file === undefined) return '';
  const named = file.includes('/') ? file : `./${file}`;
  return sourceScript(at, at.path(named), rest);
};

const declare: Program = (at, args, name) => {
  if (args.every((text) => /^-[px]+$/.test(text))) return secretMark;
  for (const text of args) {
    const [, variable, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(text) ?? [];
    if (variable !== undefined && !at.state.isSet(variable)) at.state.set(variable, [value ?? '']);
  }
  return name === 'declare' && args.some((text) => /^-\w*p/.test(text)) ? unknownMark : '';
};

const read: Program = (at, args) => {
  const line = new CommandLine(args, { valued: 'adinNptu' });
  const names = line.operands.length > 0 ? line.operands : ['REPLY'];
  const lines = at.stdin.split('\n').filter(Boolean);
  const values = at.stdin === '' || !isKnown(at.stdin) ? [blurred(at.stdin)] : lines;
  for (const [index, name] of names.entries())
    at.state.set(
      name,
      names.length === 1
        ? values.map((text) => text.trim())
        : values.map((text) => text.trim().split(/\s+/)[index] ?? ''),
    );
  return '';
};

const readArray: Program = (at, args) => {
  const { operands } = new CommandLine(args, { valued: 'dnOsuCc' });
  const name = operands[0] ?? 'MAPFILE';
  at.state.arrays.set(
    name,
    isKnown(at.stdin) ? at.stdin.split('\n').filter(Boolean) : [blurred(at.stdin)],
  );
  return '';
};

const setOptions: Program = (at, args) => {
  if (args.length === 0) return secretMark;
  const end = args.findIndex((text) => text === '--' || !/^[-+]/.test(text));
  const options = end === -1 ? args : args.slice(0, end);
  if (options.some((text) => /^-\w*e/.test(text)) || args.includes('errexit'))
    at.state.stopsOnError = true;
  if (end !== -1 && !args.includes('pipefail') && !args.includes('errexit'))
    at.state.positional = args.slice(args[end] === '--' ? end + 1 : end);
  return '';
};

const alias: Program = (at, args) => {
  for (const text of args) {
    const [, name, value] = /^([^=\s]+)=([^]*)$/.exec(text) ?? [];
    if (name !== undefined) at.state.aliases.set(name, value ?? '');
  }
  return '';
};

const end: Program = (at) => {
  at.state.hasEnded = true;
  return '';
};

const environment: Program = (_, args) => {
  const names = args.filter((text) => !text.startsWith('-'));
  if (names.length === 0) return secretMark;
  return names.some((name) => secretName.test(name)) ? secretMark : unknownMark;
};

const shift: Program = (at, args) => {
  at.state.positional = at.state.positional.slice(Number(args[0] ?? 1));
  return '';
};

const exec: Program = (at, args) => {
  const { operands } = new CommandLine(args, { valued: 'a', isStrict: true });
  if (operands.length === 0) return '';
  const output = at.run(operands);
  at.state.hasEnded = true;
  return output;
};

const trap: Program = (at, args) => {
  const [code, ...signals] = args.filter((text) => text !== '--');
  if (code === undefined || signals.length === 0 || code === '-' || code.startsWith('-')) return '';
  return at.apart(() => at.code(code));
};

const echo: Program = (_, args) => {
  const options = args.findIndex((text) => !/^-[neE]+$/.test(text));
  const flags = (options === -1 ? args : args.slice(0, options)).join('');
  const text = (options === -1 ? [] : args.slice(options)).join(' ');
  return (flags.includes('e') ? unescaped(text) : text) + (flags.includes('n') ? '' : '\n');
};

const printf: Program = (at, args) => {
  const isIn = args[0] === '-v';
  const [format = '', ...values] = isIn ? args.slice(2) : args[0] === '--' ? args.slice(1) : args;
  const text = formatted(format, values);
  if (!isIn) return text;
  at.state.set(args[1] ?? '', [text]);
  return '';
};

const mostRounds = 200;

/** Formats as printf does: the format is used again while values are left. */
function formatted(format: string, values: readonly string[]): string {
  const rest = [...values];
  let text = '';
  for (let round = 0; round < mostRounds; round++) {
    const before = rest.length;
    text += unescaped(format).replaceAll(
      /%%|%[-+ #0]*\d*(?:\.\d+)?([a-zA-Z])/g,
      (whole, kind: string) => {
        if (whole === '%%') return '%';
        const value = rest.shift() ?? '';
        if (kind === 'b') return unescaped(value);
        if (kind === 'x') return /^\d+$/.test(value) ? Number(value).toString(16) : value;
        if (kind === 'o') return /^\d+$/.test(value) ? Number(value).toString(8) : value;
        if (kind === 'c') return value.slice(0, 1);
        return value;
      },
    );
    if (rest.length === 0 || rest.length === before) break;
  }
  return text;
}

/** Replaces `\n`, `\x41`, `\101` and the like. */
export const unescaped = (text: string): string =>
  text.replaceAll(
    /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|0?([0-7]{1,3})|([abefnrtv\\]))/g,
    (whole, hex?: string, unicode?: string, octal?: string, letter?: string) => {
      const code = hex ?? unicode;
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      return (
        { a: '\u0007', b: '\b', e: '\u001B', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }[
          letter!
        ] ?? (letter === '\\' ? '\\' : whole)
      );
    },
  );

const where: Program = (at, args) => {
  const names = args.filter((text) => !text.startsWith('-'));
  return names.map((name) => `/usr/bin/${name}\n`).join('') || at.folder;
};

/** Programs that are built into the shell, and some that are as good as. */
export const builtins: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...': true false test [ wait jobs bg fg disown umask ulimit getopts hash bind complete compgen shopt enable kill killall pkill sleep clear unset ssh-keygen ssh-add ssh-copy-id keytool nano code subl idea git-crypt trash gio'
    .split(' ')
    .map((name): [string, Program] => [name, quiet]),
  ...['cd', 'pushd'].map((name): [string, Program] => [name, changeFolder]),
  ['popd', quiet],
  ['eval', evaluate],
  ['source', source],
  ['.', source],
  ...['export', 'declare', 'typeset', 'local', 'readonly'].map((name): [string, Program] => [
    name,
    declare,
  ]),
  ['read', read],
  ['mapfile', readArray],
  ['readarray', readArray],
  ['set', setOptions],
  ['alias', alias],
  ['exit', end],
  ['return', end],
  ['shift', shift],
  ['exec', exec],
  ['trap', trap],
  ['echo', echo],
  ['printf', printf],
  ['printenv', environment],
  ['pwd', (at) => `${at.folder}\n`],
  ['which', where],
  ['type', where],
  ['history', () => unknownMark],
  ['whoami', (at) => `${at.state.around.variables['USER'] ?? unknownMark}\n`],
]);
