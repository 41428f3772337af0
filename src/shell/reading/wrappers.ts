import { shellWord } from '../../base/shell-word.ts';
import { blurred, isKnown, isRemote, secretMark, unknownMark } from './marks.ts';
import { CommandLine, type OptionShape } from './options.ts';
import type { Program } from './program.ts';
import { runFind, runXargs } from './passing-on.ts';
import { runScript } from './scripts.ts';

interface Wrapper extends OptionShape {
  /** How many operands stand before the program. */
  readonly operands?: number;
}

const simple: Readonly<Record<string, Wrapper>> = {
  sudo: {
    valued: 'CDghpRrTtUu',
    longValued: [
      'user',
      'group',
      'chdir',
      'host',
      'prompt',
      'role',
      'type',
      'chroot',
      'close-from',
    ],
  },
  doas: { valued: 'Cu' },
  pkexec: { longValued: ['user'] },
  nohup: {},
  nice: { valued: 'n', longValued: ['adjustment'] },
  ionice: { valued: 'cnpPu', longValued: ['class', 'classdata'] },
  chrt: { valued: 'TPD', operands: 1 },
  taskset: { operands: 1 },
  setpriv: {
    longValued: [
      'reuid',
      'regid',
      'groups',
      'inh-caps',
      'ambient-caps',
      'bounding-set',
      'securebits',
      'pdeathsig',
    ],
  },
  prlimit: { valued: 'p' },
  timeout: { valued: 'ks', longValued: ['kill-after', 'signal'], operands: 1 },
  gtimeout: { valued: 'ks', operands: 1 },
  stdbuf: { valued: 'ioe', longValued: ['input', 'output', 'error'] },
  time: { valued: 'fo' },
  setsid: {},
  unshare: { valued: 'SG', longValued: ['map-user', 'map-group', 'root', 'wd'] },
  nsenter: { valued: 'tSG', longValued: ['target'] },
  strace: { valued: 'eoOpsSuEaPI' },
  ltrace: { valued: 'eopsuaAFln' },
  valgrind: {},
  proot: { valued: 'rbw' },
  fakeroot: {},
  'systemd-run': {
    valued: 'pEutM',
    longValued: ['unit', 'property', 'setenv', 'on-calendar', 'on-active'],
  },
  'systemd-inhibit': { longValued: ['what', 'who', 'why', 'mode'] },
  'dbus-run-session': {},
  'xvfb-run': { valued: 'nsef' },
  firejail: {},
  bwrap: {},
  caffeinate: { valued: 'tw' },
  rlwrap: {},
  unbuffer: {},
  chronic: {},
  ccache: {},
  command: {},
  builtin: {},
  busybox: {},
  toybox: {},
  setarch: { operands: 1 },
  runcon: { valued: 'turl' },
  dotenv: { valued: 'ef' },
  'cross-env': {},
  'env-cmd': { valued: 'f' },
  torsocks: {},
  proxychains: {},
};

/** Takes the variables that stand before a program: `A=1 B=2 make`. */
function takeVariables(words: string[]): Readonly<Record<string, string>> {
  const count = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const given = words.splice(0, count === -1 ? words.length : count);
  return Object.fromEntries(given.map((word) => word.split(/=([^]*)/).slice(0, 2)));
}

const wrap: Program = (at, args, name) => {
  const shape = simple[name] ?? {};
  const line = new CommandLine(args, { ...shape, isStrict: true });
  if (name === 'command' && line.has('v', 'V')) return `/usr/bin/${line.operands[0] ?? ''}\n`;
  const rest = line.operands.slice(shape.operands ?? 0);
  const env = takeVariables(rest);
  const folder = name === 'sudo' ? line.value('D', 'chdir') : undefined;
  if (rest.length === 0)
    return name === 'sudo' && line.has('s', 'i', 'shell', 'login')
      ? runInput(at.stdin, at, 'sh')
      : '';
  return at.apart(() =>
    at.run(rest, { via: name, env, folder: folder === undefined ? undefined : at.path(folder) }),
  );
};

const environment: Program = (at, args) => {
  const line = new CommandLine(args, {
    valued: 'uCSP',
    longValued: ['unset', 'chdir', 'split-string'],
    isStrict: true,
  });
  const split = line.value('S', 'split-string');
  // A lone dash is `-i`.
  const rest = line.operands[0] === '-' ? line.operands.slice(1) : [...line.operands];
  const env = takeVariables(rest);
  if (split === undefined && rest.length === 0) return secretMark;
  return at.apart((state) => {
    const to = line.value('C', 'chdir');
    const folder = to === undefined ? undefined : at.path(to);
    if (folder !== undefined) state.folders = [folder];
    for (const [variable, value] of Object.entries(env)) state.set(variable, [value]);
    return split === undefined
      ? at.run(rest, { via: 'env', env, folder })
      : at.code([split, ...rest].join(' '));
  });
};

/** Runs what a shell reads on stdin. */
function runInput(text: string, at: Parameters<Program>[0], language: string): string {
  if (text === '') return '';
  if (text === unknownMark || isRemote(text)) {
    at.emit({ kind: 'code', text, language });
    return blurred(text);
  }
  return at.apart(() => at.code(text, { stdin: '' }));
}

const shell: Program = (at, args) => {
  const shape = { valued: 'oO', longValued: ['rcfile', 'init-file'], isStrict: true };
  const isCode = args.findIndex((text) => /^-[A-Za-z]*c[A-Za-z]*$/.test(text));
  const firstOperand = args.findIndex((text) => !/^[-+]/.test(text));
  if (
    isCode !== -1 &&
    (firstOperand === -1 ||
      isCode < firstOperand ||
      /^[-+][oO]$/.test(args[firstOperand - 1] ?? ''))
  ) {
    const rest = args
      .slice(isCode + 1)
      .filter((text, index, all) => index >= all.findIndex((one) => !/^[-+]/.test(one)));
    const [code = '', self = 'bash', ...positional] = rest;
    return at.apart((state) => {
      state.self = self;
      state.positional = positional;
      for (const [variable, value] of Object.entries(at.env)) state.set(variable, [value]);
      return at.code(code);
    });
  }
  const line = new CommandLine(args, shape);
  const [file, ...positional] = line.operands;
  if (file === undefined || line.has('s')) {
    if (line.has('version', 'help')) return unknownMark;
    return runInput(at.stdin, at, 'sh');
  }
  return at.apart((state) => {
    for (const [variable, value] of Object.entries(at.env)) state.set(variable, [value]);
    if (/^\/dev\/(?:stdin|fd\/0)$|^-$/.test(file)) return runInput(at.stdin, at, 'sh');
    return runScript(at, at.path(file), positional, 'sh') ?? lostScript(at, file);
  });
};

/** A script that is not there: what it will be is not known, but nothing says that it is bad. */
function lostScript(at: Parameters<Program>[0], file: string): string {
  if (!isKnown(file)) at.emit({ kind: 'code', text: file, language: 'sh' });
  return unknownMark;
}

/** Programs that run the code in one of their arguments. */
const withCode =
  (options: readonly string[], shape: OptionShape = {}): Program =>
  (at, args) => {
    const line = new CommandLine(args, shape);
    for (const code of line.all(...options)) at.apart(() => at.code(code));
    return unknownMark;
  };

const switchUser: Program = (at, args, name) => {
  const line = new CommandLine(args, {
    valued: 'cgGsuw',
    longValued: ['command', 'shell', 'group'],
  });
  const code = line.value('c', 'command');
  if (code !== undefined) return at.apart(() => at.code(code));
  if (name === 'runuser' && line.operands.length > 0 && line.has('u'))
    return at.run(line.operands, { via: name });
  return at.stdin === '' ? '' : runInput(at.stdin, at, 'sh');
};

/** Programs that join their arguments to a command, as `watch` does. */
const joined: Program = (at, args, name) => {
  const line = new CommandLine(args, {
    valued: 'nwrPSpL',
    longValued: ['interval', 'warmup', 'runs', 'prepare', 'export-json'],
    isStrict: name === 'watch',
  });
  for (const code of line.all('prepare', 'p')) at.apart(() => at.code(code));
  if (name === 'watch') return at.apart(() => at.code(line.operands.join(' ')));
  return line.operands.map((code) => at.apart(() => at.code(code))).join('');
};

const lock: Program = (at, args) => {
  const code = args.indexOf('-c');
  if (code !== -1) return at.apart(() => at.code(args[code + 1] ?? ''));
  const line = new CommandLine(args, { valued: 'wE', isStrict: true });
  return at.run(line.operands.slice(1), { via: 'flock' });
};

/** GNU parallel quotes what it inserts. */
const quoted = (item: string): string => (isKnown(item) ? shellWord(item) : item);

const parallel: Program = (at, args) => {
  const line = new CommandLine(args, {
    valued: 'jINSnLd',
    longValued: [
      'jobs',
      'arg-file',
      'joblog',
      'results',
      'delay',
      'timeout',
      'retries',
      'workdir',
      'tmpdir',
      'colsep',
      'max-args',
      'max-procs',
      'delimiter',
      'sshlogin',
      'load',
      'nice',
      'halt',
    ],
    isStrict: true,
  });
  const end = line.operands.findIndex((text) => text.startsWith(':::'));
  const program = end === -1 ? line.operands : line.operands.slice(0, end);
  const items = end === -1 ? at.stdin.split('\n').filter(Boolean) : line.operands.slice(end + 1);
  if (program.length === 0) return items.map((code) => at.apart(() => at.code(code))).join('');
  const text = program.join(' ');
  const given = items.length === 0 ? [unknownMark] : items.slice(0, 20);
  return given
    .map((item) =>
      at.apart(() =>
        at.code(
          text.includes('{}') ? text.replaceAll('{}', quoted(item)) : `${text} ${quoted(item)}`,
        ),
      ),
    )
    .join('');
};

const later: Program = (at) => runInput(at.stdin, at, 'sh');

const chroot: Program = (at, args) => {
  const line = new CommandLine(args, { longValued: ['userspec', 'groups'], isStrict: true });
  const [root = '/', ...rest] = line.operands;
  return at.apart((state) => {
    if (at.path(root) !== '/') state.where = 'container';
    return at.run(rest, { via: 'chroot' });
  });
};

/** Programs that start others, and shells. */
export const wrappers: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...Object.keys(simple).map((name): [string, Program] => [name, wrap]),
  ...'sh bash dash ash ksh zsh mksh fish rbash'
    .split(' ')
    .map((name): [string, Program] => [name, shell]),
  ['env', environment],
  ['su', switchUser],
  ['runuser', switchUser],
  ['script', withCode(['c', 'command'], { valued: 'cEIOTmo', longValued: ['command'] })],
  ['nix-shell', withCode(['run', 'command'], { longValued: ['run', 'command'], valued: 'p' })],
  ['nodemon', withCode(['x', 'exec'], { valued: 'xwei', longValued: ['exec', 'watch', 'ext'] })],
  ['watch', joined],
  ['hyperfine', joined],
  ['concurrently', joined],
  ['flock', lock],
  ['xargs', runXargs],
  ['find', runFind],
  ['gfind', runFind],
  ['fd', runFind],
  ['fdfind', runFind],
  ['parallel', parallel],
  ['at', later],
  ['batch', later],
  ['chroot', chroot],
]);
