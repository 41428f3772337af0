import { basename, join } from 'node:path';
import { blurred, outputMark, secretMark, unknownMark } from './marks.ts';
import { CommandLine, type OptionShape } from './options.ts';
import { absolute, followed } from './paths.ts';
import { readsSecret, readsSecretBelow, type Program } from './program.ts';
import type { FileAction } from './effects.ts';
import type { Running } from './running.ts';

/** Reports something about a file that an argument names. */
export function touch(
  at: Running,
  action: FileAction,
  name: string,
  { isTree = false, text, mode }: { isTree?: boolean; text?: string; mode?: string } = {},
): void {
  if (/^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/.test(name)) return;
  const isLastToo = !/^(?:delete|move|link)$/.test(action) || name.endsWith('/');
  const path = followed(at.path(name), at.state, isLastToo);
  at.emit({
    kind: 'file',
    action,
    path,
    isTree,
    ...(text !== undefined && { text }),
    ...(mode !== undefined && { mode }),
  });
}

const remove: Program = (at, args, name) => {
  const line = new CommandLine(args, { valued: name === 'shred' ? 'ns' : '' });
  if (line.has('help', 'version')) return unknownMark;
  if (name === 'shred' && line.operands.length === 0) return '';
  for (const operand of line.operands)
    touch(at, name === 'shred' && !line.has('u') ? 'write' : 'delete', operand, {
      isTree: line.has('r', 'R', 'recursive'),
    });
  return '';
};

/** It removes only what is empty: nothing is lost. */
const removeFolder: Program = () => '';

const moveShape: OptionShape = { valued: 'tSg', longValued: ['target-directory', 'suffix'] };

/** Returns where a program that copies or moves puts each of its sources. */
function targetsOf(at: Running, line: CommandLine): { from: string; to: string }[] {
  const given = line.value('t', 'target-directory');
  const last = given ?? line.operands.at(-1);
  const sources = given === undefined ? line.operands.slice(0, -1) : line.operands;
  if (last === undefined) return [];
  const target = at.path(last);
  const { state } = at;
  const isFolder =
    given !== undefined ||
    sources.length > 1 ||
    last.endsWith('/') ||
    state.around.disk.kindOf(followed(target, state, true)) === 'folder';
  return sources.map((from) => ({ from, to: isFolder ? join(target, basename(from)) : target }));
}

const move: Program = (at, args) => {
  const line = new CommandLine(args, moveShape);
  for (const { from, to } of targetsOf(at, line)) {
    touch(at, 'move', from, { isTree: true });
    const text = at.contentOf(at.path(from));
    if (!line.has('n', 'no-clobber')) touch(at, 'write', to, { text });
    at.write(to, text, false);
  }
  return '';
};

const copy: Program = (at, args, name) => {
  const line = new CommandLine(
    args,
    name === 'install' ? { valued: 'gmotS', longValued: ['mode', 'owner', 'group'] } : moveShape,
  );
  if (name === 'install' && line.has('d', 'directory')) return '';
  for (const { from, to } of targetsOf(at, line)) {
    readsSecret(at, from);
    const text = at.contentOf(at.path(from));
    touch(at, line.has('s', 'symbolic-link') ? 'link' : 'write', to, { text });
    at.write(to, text, false);
  }
  const mode = line.value('m', 'mode');
  if (mode !== undefined && line.operands.length > 0)
    touch(at, 'mode', line.operands.at(-1)!, { mode });
  return '';
};

const link: Program = (at, args) => {
  const line = new CommandLine(args, moveShape);
  const pairs =
    line.operands.length === 1
      ? [{ from: line.operands[0]!, to: at.path(basename(line.operands[0]!)) }]
      : targetsOf(at, line);
  for (const { from, to } of pairs) {
    const target = at.path(from);
    if (line.has('f', 'force')) touch(at, 'write', to);
    else touch(at, 'link', to);
    if (!line.has('s', 'symbolic')) touch(at, 'link', from);
    at.state.links.set(to, target);
  }
  return '';
};

const sync: Program = (at, args) => {
  const line = new CommandLine(args, {
    valued: 'efTBM',
    longValued: [
      'exclude',
      'include',
      'rsh',
      'filter',
      'files-from',
      'exclude-from',
      'bwlimit',
      'port',
    ],
  });
  if (line.has('n', 'dry-run')) return unknownMark;
  const shell = line.value('e', 'rsh');
  if (shell !== undefined) at.apart(() => at.code(shell));
  const target = line.operands.at(-1);
  if (target === undefined) return '';
  const remote = /^(?:[\w.-]+@)?[\w.-]+::?/;
  for (const source of line.operands.slice(0, -1)) {
    const isNarrowed = line.has('exclude', 'exclude-from', 'filter', 'files-from');
    const isRead =
      isNarrowed || !remote.test(target) ? readsSecret(at, source) : readsSecretBelow(at, source);
    if (remote.test(target))
      at.emit({
        kind: 'send',
        to: target,
        text: isRead ? secretMark : unknownMark,
      });
    if (line.has('remove-source-files')) touch(at, 'delete', source, { isTree: true });
  }
  if (!remote.test(target))
    if ([...line.flags].some((flag) => flag.startsWith('delete')))
      touch(at, 'delete', target, { isTree: true });
    else touch(at, 'append', target, { isTree: false });
  return '';
};

const convert: Program = (at, args) => {
  const given = Object.fromEntries(args.map((text) => text.split(/=([^]*)/).slice(0, 2)));
  const input = given['if'];
  const text = input === undefined ? at.stdin : at.contentOf(at.path(input));
  if (input !== undefined) readsSecret(at, input);
  if (given['of'] === undefined) return text;
  touch(at, 'write', given['of'], { text });
  at.write(at.path(given['of']), text, false);
  return '';
};

const truncate: Program = (at, args) => {
  const line = new CommandLine(args, { valued: 'sr', longValued: ['size', 'reference'] });
  for (const name of line.operands) touch(at, 'write', name);
  return '';
};

const change: Program = (at, args, name) => {
  const line = new CommandLine(
    args.filter((text) => !/^-[rwxXst]+$/.test(text) || text === '-R'),
    { longValued: ['reference', 'from'] },
  );
  const removed = args.find((text) => /^-[rwxXst]+$/.test(text));
  const isFromFile = line.has('reference');
  const mode = removed ?? (isFromFile ? '' : (line.operands[0] ?? ''));
  const names = removed !== undefined || isFromFile ? line.operands : line.operands.slice(1);
  for (const path of names)
    touch(at, name === 'chattr' ? 'lock' : 'mode', path, {
      isTree: line.has('R', 'recursive'),
      mode: `${name} ${mode}`,
    });
  return '';
};

const unpack: Program = (at, args) => {
  const [first = '', ...rest] = args;
  const line = new CommandLine(/^[A-Za-z]+$/.test(first) ? [`-${first}`, ...rest] : args, {
    valued: 'fCTXIbN',
    longValued: [
      'file',
      'directory',
      'to-command',
      'checkpoint-action',
      'use-compress-program',
      'exclude',
    ],
  });
  for (const action of line.all('checkpoint-action')) {
    const [, code] = /^exec=([^]*)$/.exec(action) ?? [];
    if (code !== undefined) at.apart(() => at.code(code));
  }
  for (const code of line.all('to-command', 'use-compress-program', 'I'))
    at.apart(() => at.code(code));
  const isNarrowed = line.all('exclude', 'X').length > 0;
  const base = line.value('C', 'directory');
  const isSecretRead = line.operands
    .map((name) => {
      const path = base === undefined ? name : absolute(name, at.path(base));
      return isNarrowed ? readsSecret(at, path) : readsSecretBelow(at, path);
    })
    .includes(true);
  if (line.has('remove-files'))
    for (const name of line.operands) touch(at, 'delete', name, { isTree: true });
  const folder = line.value('C', 'directory', 'one-top-level');
  if (line.has('x', 'extract', 'get')) touch(at, 'append', folder ?? '.');
  const archive = line.value('f', 'file');
  if (!line.has('c', 'create')) return line.has('O', 'to-stdout') ? blurred(at.stdin) : unknownMark;
  const text = isSecretRead ? secretMark : unknownMark;
  if (archive === undefined || archive === '-') return text;
  // An archive of a whole folder is as good a place for its secrets as the folder.
  const isNamed = line.operands.some((name) => at.state.around.isSecretFile(at.path(name)));
  touch(at, 'write', archive, { text: isNamed ? text : unknownMark });
  at.write(at.path(archive), text, false);
  return '';
};

const archive: Program = (at, args, name) => {
  const line = new CommandLine(args, { valued: 'dxi' });
  const [target, ...sources] = line.operands;
  if (target === undefined) return unknownMark;
  if (name === 'unzip') {
    touch(at, 'append', line.value('d') ?? '.');
    return unknownMark;
  }
  const isNarrowed = line.has('x');
  const secret = sources.find((source) =>
    isNarrowed || !line.has('r') ? readsSecret(at, source) : readsSecretBelow(at, source),
  );
  const text = secret === undefined ? unknownMark : secretMark;
  const isNamed = sources.some((source) => at.state.around.isSecretFile(at.path(source)));
  touch(at, 'write', target, { text: isNamed ? text : unknownMark });
  at.write(at.path(target), text, false);
  if (line.has('m')) for (const source of sources) touch(at, 'delete', source, { isTree: true });
  return '';
};

const make: Program = (at, args) => {
  const line = new CommandLine(args, { valued: 'mdtr' });
  for (const name of line.operands) {
    const path = at.path(name);
    if (at.state.around.disk.kindOf(path) === undefined && !at.state.files.has(path))
      at.write(path, '', false);
  }
  return '';
};

/** Names a file that nobody else has. */
const temporaryFile: Program = (at) => {
  const path = `/tmp/tmp.${String(at.state.files.size).padStart(10, 'x')}`;
  at.write(path, '', false);
  return `${path}\n`;
};

/** What these programs are asked when they only show something. */
const showing: Readonly<Record<string, RegExp>> = {
  fdisk: /^(?:-l|--list|-s|-x)$/,
  sfdisk: /^(?:-l|-d|--dump|--list|-J|-F|-V|-s)$/,
  sgdisk: /^(?:-p|-l|-v|-i|-b|-L|-E|-F|-f|--print|--verify|--info|--backup)/,
  parted: /^(?:print|-l|--list)$/,
  wipefs: /^(?:-n|--no-act|-J|-p|--parsable)$/,
  hdparm: /^(?!.*(?:security-erase|trim-sector|write-sector|make-bad))/,
  cryptsetup:
    /^(?:luksOpen|open|close|luksClose|luksDump|status|isLuks|luksUUID|benchmark|resize|luksAddKey|luksHeaderBackup|repair)$/,
};

/** Programs that make a disk empty, whatever is on it. */
const format: Program = (at, args, name) => {
  const shows = showing[name];
  if (
    shows !== undefined &&
    ((name === 'hdparm'
      ? args.every((text) => shows.test(text))
      : args.some((text) => shows.test(text))) ||
      (name === 'wipefs' && !args.some((text) => /^(?:-\w*a|--all|-\w*o|--offset)/.test(text))))
  )
    return outputMark;
  for (const text of args) if (text.startsWith('/dev/')) touch(at, 'write', text);
  return '';
};

/** Programs that change files. */
export const filePrograms: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...['rm', 'unlink', 'shred', 'srm', 'grm', 'rimraf', 'del-cli'].map((name): [string, Program] => [
    name,
    remove,
  ]),
  ['rmdir', removeFolder],
  ['mv', move],
  ['gmv', move],
  ['cp', copy],
  ['gcp', copy],
  ['install', copy],
  ['ln', link],
  ['rsync', sync],
  ['dd', convert],
  ['truncate', truncate],
  ...['chmod', 'chown', 'chgrp', 'chattr', 'setfacl'].map((name): [string, Program] => [
    name,
    change,
  ]),
  ['tar', unpack],
  ['bsdtar', unpack],
  ['gtar', unpack],
  ['zip', archive],
  ['unzip', archive],
  ['mkdir', make],
  ['touch', make],
  ['mktemp', temporaryFile],
  ...'mkfs mkfs.ext4 mkfs.ext3 mkfs.xfs mkfs.btrfs mkfs.vfat mkswap wipefs fdisk sfdisk sgdisk parted blkdiscard hdparm cryptsetup'
    .split(' ')
    .map((name): [string, Program] => [name, format]),
]);
