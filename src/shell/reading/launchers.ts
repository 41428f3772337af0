import { compact } from './compact.ts';
import { CommandLine, type OptionShape } from './options.ts';
import { anyProgram, type Program } from './program.ts';
import type { Running } from './running.ts';
import { inTable } from '../../base/json.ts';

/** Options of programs whose value is a shell command. */
const commandOptions: Readonly<Record<string, readonly string[]>> = {
  split: ['--filter'],
  sort: ['--compress-program'],
  wget: ['--use-askpass'],
  zip: ['-TT', '--unzip-command'],
  man: ['-P', '--pager'],
  onchange: ['-c', '--command'],
  chokidar: ['-c', '--command'],
};

/** Runs the shell commands that a program's options name. */
export function runOptions(at: Running, name: string, args: readonly string[]): void {
  for (const option of inTable(commandOptions, name) ?? [])
    for (const [index, text] of args.entries()) {
      const value = text.startsWith(`${option}=`)
        ? text.slice(option.length + 1)
        : text === option
          ? args[index + 1]
          : undefined;
      if (value !== undefined) at.apart(() => at.code(value));
    }
  if (/^(?:less|more|most)$/.test(name))
    for (const text of args) if (text.startsWith('+!')) at.apart(() => at.code(text.slice(2)));
  if (/^(?:scp|sftp|rsync)$/.test(name)) runProxies(at, args);
}

/** The programs by which ssh and its relatives connect: `-o ProxyCommand=…`. */
export function runProxies(at: Running, args: readonly string[]): void {
  for (const text of args) {
    const [, code] = /^(?:-o)?\s*(?:Proxy|Local)Command[= ]([^]+)$/i.exec(text) ?? [];
    if (code !== undefined) at.apart(() => at.code(code));
  }
}

/** Programs that start another behind a word of their own: `perf stat rm x`. */
const behind =
  (words: number, shape: OptionShape = {}): Program =>
  (at, args, name) => {
    const { operands } = new CommandLine(args.slice(words), { ...shape, isStrict: true });
    return operands.length === 0
      ? anyProgram(at, args, name)
      : at.apart(() => at.run(operands, { via: name }));
  };

/** Programs that start what stands behind one of these options. */
const after =
  (...options: readonly string[]): Program =>
  (at, args, name) => {
    const index = args.findIndex((text) => options.includes(text));
    return index === -1
      ? anyProgram(at, args, name)
      : at.apart(() => at.run(args.slice(index + 1), { via: name }));
  };

/** Programs whose arguments together are a shell command. */
const asCode =
  (shape: OptionShape): Program =>
  (at, args) => {
    const { operands } = new CommandLine(args, { ...shape, isStrict: true });
    return at.apart(() => at.code(operands.join(' ')));
  };

const tmux: Program = (at, args) => {
  const start = args.findIndex((text) => starting.test(text));
  if (start === -1) return '';
  const { operands } = new CommandLine(args.slice(start + 1), { valued: 'tnscFexyhwSlpI' });
  const words = operands.filter((text) => !/^(?:Enter|C-\w|KPEnter|Space)$/.test(text));
  return words.length === 0 ? '' : at.apart(() => at.code(words.join(' ')));
};

const starting =
  /^(?:new(?:-session|-window|w)?|split(?:-window|w)|respawn-(?:pane|window)|run(?:-shell)?|if(?:-shell)?|send(?:-keys)?|(?:display-)?popup|pipe-pane)$/;

const screen: Program = (at, args) => {
  const { operands } = new CommandLine(args, { valued: 'cehpsSTxt', isStrict: true });
  if (operands[0] === 'stuff') return at.apart(() => at.code(operands.slice(1).join(' ')));
  const index = args.indexOf('stuff');
  if (index !== -1) return at.apart(() => at.code(args.slice(index + 1).join(' ')));
  return operands.length === 0 ? '' : at.apart(() => at.run(operands, { via: 'screen' }));
};

const entr: Program = (at, args) => {
  const line = new CommandLine(args, { isStrict: true });
  return at.apart(() =>
    line.has('s') ? at.code(line.operands.join(' ')) : at.run(line.operands, { via: 'entr' }),
  );
};

/** Shell commands in code of languages that are otherwise not read. */
const inScripts: Readonly<Record<string, RegExp>> = {
  expect: /(?:^|[;\n{])\s*(?:spawn|exec|system)\s+([^\n;]+)/g,
  tclsh: /(?:^|[;\n{[])\s*exec\s+([^\n;\]]+)/g,
  emacs: /\((?:async-)?shell-command(?:-to-string)?\s+"((?:[^"\\]|\\.)*)"/g,
  emacsclient: /\((?:async-)?shell-command(?:-to-string)?\s+"((?:[^"\\]|\\.)*)"/g,
  gdb: /^(?:shell|!)\s*(.+)$/gm,
  lldb: /^(?:platform shell|shell)\s+(.+)$/gm,
  julia: /`([^`]+)`/g,
  osascript: /do shell script\s+"((?:[^"\\]|\\.)*)"/g,
};

const scripted: Program = (at, args, name) => {
  for (const text of [...args, at.stdin].map(compact))
    for (const [, code = ''] of text.matchAll(inScripts[name]!))
      at.apart(() => at.code(code.replaceAll('\\"', '"').replaceAll(/\{([^{}]*)\}/g, "'$1'")));
  const inner = args.indexOf('--args');
  if (inner !== -1) at.apart(() => at.run(args.slice(inner + 1), { via: name }));
  return anyProgram(at, args, name);
};

/** Programs that start others in a way of their own, or at some time. */
export const launchers: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['perf', behind(1, { valued: 'eopCtFGD' })],
  ['direnv', behind(2)],
  ['faketime', behind(1, { valued: 'f' })],
  ['nix', after('-c', '--command')],
  ['onchange', after('--')],
  ['watchexec', asCode({ valued: 'wefirsSdEoWn', longValued: ['watch', 'exts', 'filter', 'ignore', 'delay', 'signal', 'shell'] })], // prettier-ignore
  ['tmux', tmux],
  ['screen', screen],
  ['entr', entr],
  ...Object.keys(inScripts).map((name): [string, Program] => [name, scripted]),
]);
