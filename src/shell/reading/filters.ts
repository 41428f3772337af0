import { unescaped } from './builtins.ts';
import { blurred, isKnown, isSecret, outputMark, secretMark, unknownMark } from './marks.ts';
import { CommandLine } from './options.ts';
import { anyProgram, readsSecret, type Program } from './program.ts';
import type { Running } from './running.ts';
import { sedProgram } from './sed.ts';

/** Returns what a filter reads: its files, or else its input. */
export function inputOf(at: Running, files: readonly string[]): string {
  const names = files.filter((text) => text !== '-');
  if (names.length === 0) return at.stdin;
  for (const name of names) readsSecret(at, name);
  return names.map((name) => at.contentOf(at.path(name))).join('');
}

const onText =
  (change: (text: string, line: CommandLine) => string, valued = ''): Program =>
  (at, args) => {
    const line = new CommandLine(args, { valued });
    const text = inputOf(at, line.operands);
    return isKnown(text) ? change(text, line) : blurred(text);
  };

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n');

const ended = (lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${lines.join('\n')}\n`;

const decoded = (encoding: BufferEncoding, text: string): string => {
  const plain = Buffer.from(text.replaceAll(/\s/g, ''), encoding).toString('utf8');
  return plain.includes('\uFFFD') ? unknownMark : plain;
};

const base64: Program = (at, args, name) => {
  const line = new CommandLine(args, { valued: 'wio' });
  const text = inputOf(at, [...line.operands, ...line.all('i')]);
  if (!isKnown(text)) return blurred(text);
  const encoding = name === 'base32' ? undefined : 'base64';
  if (!line.has('d', 'D', 'decode'))
    return encoding ? `${Buffer.from(text).toString('base64')}\n` : unknownMark;
  return encoding ? decoded(encoding, text) : unknownMark;
};

const openssl: Program = (at, args, name) => {
  if (args.includes('-d') && args.some((text) => /base64|^-a$|^-base64$/.test(text)))
    return isKnown(at.stdin) ? decoded('base64', at.stdin) : blurred(at.stdin);
  // A key that signs is used, not shown.
  const input = args[args.indexOf('-in') + 1] ?? '';
  const isShown = !args.some((text) => /^-(?:out|noout|pubout|check|verify)$/.test(text));
  if (args.includes('-in') && readsSecret(at, input) && isShown) return secretMark;
  return anyProgram(at, args, name);
};

const hex: Program = (at, args, name) => {
  const line = new CommandLine(args, { valued: 'clos' });
  if (!line.has('r')) return anyProgram(at, args, name);
  const text = inputOf(at, line.operands);
  return isKnown(text)
    ? decoded('hex', text.replaceAll(/^[\da-f]+:|\s{2}.*$/gim, ''))
    : blurred(text);
};

const translate: Program = (at, args) => {
  const line = new CommandLine(args);
  const [from = '', to = ''] = line.operands.map((set) => ranges(unescaped(set)));
  if (!isKnown(at.stdin) || line.has('c', 'C', 's')) return blurred(at.stdin);
  return Array.from(at.stdin)
    .map((letter) => {
      const index = from.indexOf(letter);
      if (index === -1) return letter;
      return line.has('d') ? '' : (to[Math.min(index, to.length - 1)] ?? letter);
    })
    .join('');
};

/** Expands `a-z` and `[:lower:]`. */
const ranges = (set: string): string =>
  set
    .replaceAll('[:lower:]', 'a-z')
    .replaceAll('[:upper:]', 'A-Z')
    .replaceAll('[:digit:]', '0-9')
    .replaceAll('[:space:]', ' \t\n')
    .replaceAll(/(.)-(.)/gs, (whole, from: string, to: string) => {
      const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)];
      if (last < first || last - first > 256) return whole;
      return Array.from({ length: last - first + 1 }, (_, index) =>
        String.fromCharCode(first + index),
      ).join('');
    });

/** Picks the parts of a list such as `1,3-5`. */
const pick = (parts: readonly string[], list: string): string[] =>
  list.split(',').flatMap((one) => {
    const [, from = '', dash, to = ''] = /^(\d*)(-?)(\d*)$/.exec(one) ?? [];
    return parts.slice(
      Number(from || 1) - 1,
      dash ? (to === '' ? undefined : Number(to)) : Number(from),
    );
  });

const cut = onText((text, line) => {
  const field = line.value('f', 'fields');
  const letters = line.value('c', 'b');
  const delimiter = line.value('d') ?? '\t';
  return ended(
    linesOf(text).map((one) =>
      letters !== undefined
        ? pick(Array.from(one), letters).join('')
        : pick(one.split(delimiter), field ?? '1-').join(delimiter),
    ),
  );
}, 'fdcb');

const some =
  (side: 'head' | 'tail'): Program =>
  (at, args) => {
    const short = /^-(\d+)$/.exec(args[0] ?? '')?.[1];
    const line = new CommandLine(short === undefined ? args : args.slice(1), { valued: 'nc' });
    const text = inputOf(at, line.operands);
    if (!isKnown(text)) return blurred(text);
    const count = Number(short ?? line.value('n', 'lines') ?? 10);
    const bytes = line.value('c');
    if (!Number.isInteger(count) || count < 0) return blurred(text) + unknownMark;
    if (bytes !== undefined)
      return side === 'head' ? text.slice(0, Number(bytes)) : text.slice(-Number(bytes));
    const lines = linesOf(text);
    return ended(side === 'head' ? lines.slice(0, count) : lines.slice(-count));
  };

const grep: Program = (at, args) => {
  const line = new CommandLine(args, {
    valued: 'efmABC',
    longValued: ['include', 'exclude', 'glob'],
  });
  const operands = line.has('e', 'f') ? line.operands : line.operands.slice(1);
  const secret = [...operands, ...line.all('include', 'glob')]
    .map((name) => readsSecret(at, name))
    .includes(true);
  if (line.has('q', 'quiet', 'c', 'l', 'L')) return '';
  if (secret) return secretMark;
  const text = operands.length === 0 ? at.stdin : unknownMark;
  const pattern = line.operands[0] ?? '';
  // Lines of the environment that are not about a secret are none.
  if (
    isSecret(text) &&
    /^[\w^=-]+$/.test(pattern) &&
    !line.has('v', 'e', 'f') &&
    !asksForSecret.test(pattern)
  )
    return outputMark;
  if (!isKnown(text) || line.has('v', 'o', 'P', 'E') || !/^[\w ./-]+$/.test(pattern))
    return blurred(text);
  return ended(linesOf(text).filter((one) => one.includes(pattern)));
};

const asksForSecret = /key|token|secret|pass|auth|cred|pwd|aws|api|^\W*$|^.$/i;

const cat: Program = (at, args) => {
  const operands = args.filter((text) => !/^-[A-Za-z]+$/.test(text) && text !== '--');
  return inputOf(at, operands);
};

const tee: Program = (at, args) => {
  const line = new CommandLine(args);
  for (const name of line.operands) {
    const path = at.path(name);
    if (/^\/dev\/(?:null|stdout|stderr|tty|fd\/)/.test(path)) continue;
    at.write(path, at.stdin, line.has('a', 'append'));
    at.emit({
      kind: 'file',
      action: line.has('a', 'append') ? 'append' : 'write',
      path,
      isTree: false,
      text: at.stdin,
    });
  }
  return at.stdin;
};

const reverse = onText((text) =>
  ended(linesOf(text).map((line) => Array.from(line).toReversed().join(''))),
);

/** What is in a folder, if nothing but names is asked for. */
const list: Program = (at, args) => {
  const line = new CommandLine(args, { valued: 'ITw' });
  const [folder = '.', ...others] = line.operands;
  const path = at.path(folder);
  const isPlain = [...line.flags].every((flag) => /^[aA1]$/.test(flag));
  const { disk } = at.state.around;
  if (!isPlain || others.length > 0 || !isKnown(path) || disk.kindOf(path) !== 'folder')
    return outputMark;
  const names = disk.list(path).filter((name) => line.has('a', 'A') || !name.startsWith('.'));
  return ended(names.toSorted());
};

/** Programs of which only the amount or the kind of what they read shows. */
const counting: Program = () => outputMark;

/** Programs that turn a text into another. */
export const filters: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...'cat bat tac more less zcat gzcat nl'.split(' ').map((name): [string, Program] => [name, cat]),
  ['base64', base64],
  ['base32', base64],
  ['gbase64', base64],
  ['openssl', openssl],
  ['xxd', hex],
  ['tr', translate],
  ['cut', cut],
  ['head', some('head')],
  ['tail', some('tail')],
  ['rev', reverse],
  ...['grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack'].map((name): [string, Program] => [name, grep]),
  ['tee', tee],
  ['sponge', tee],
  ['sed', sedProgram],
  ['gsed', sedProgram],
  ['ls', list],
  ...'wc stat file du df md5sum sha1sum sha256sum sha512sum cksum shasum date tree which type whoami exa eza lsd id uname hostname nproc free uptime ps top lsof'
    .split(' ')
    .map((name): [string, Program] => [name, counting]),
  [
    'basename',
    (_, [path = '', ending = '']) => {
      if (!isKnown(path)) return unknownMark;
      const name = path.replace(/\/+$/, '').replace(/^.*\//, '');
      return `${name.endsWith(ending) ? name.slice(0, name.length - ending.length) : name}\n`;
    },
  ],
  [
    'dirname',
    (_, args) =>
      isKnown(args[0] ?? '')
        ? `${/^(.*)\/[^/]+\/*$/.exec(args[0] ?? '')?.[1] ?? '.'}\n`.replace(/^\n/, '/\n')
        : unknownMark,
  ],
  ['realpath', (at, args) => `${at.path(args.findLast((text) => !text.startsWith('-')) ?? '.')}\n`],
  [
    'readlink',
    (at, args) =>
      args.some((text) => /^-[fem]/.test(text)) ? `${at.path(args.at(-1) ?? '.')}\n` : unknownMark,
  ],
  [
    'seq',
    (_, args) =>
      args.every((text) => /^\d+$/.test(text)) && args.length > 0
        ? ended(
            Array.from(
              {
                length: Math.min(
                  Number(args.at(-1)) - (args.length > 1 ? Number(args[0]) : 1) + 1,
                  1_000,
                ),
              },
              (_item, index) => String(index + (args.length > 1 ? Number(args[0]) : 1)),
            ),
          )
        : unknownMark,
  ],
]);
