/** The role of an argument of a program. */
export type Role =
  /** Plain text, not a file. */
  | 'text'
  /** A file that it reads as data. */
  | 'file'
  /** A file or folder whose existence or kind it reports. */
  | 'path'
  /** A file with code that it runs or passes on. */
  | 'script'
  /** A file that it writes to. */
  | 'written'
  /** Code in the program's own language. */
  | 'code';

/** The command line of a program that runs only what it is given. */
export interface Program {
  /** One-letter options without a value. */
  readonly flags: string;
  /** One-letter options with a value. */
  readonly options?: Readonly<Record<string, Role>>;
  /** Long options without a value. */
  readonly longFlags?: readonly string[];
  readonly longOptions?: Readonly<Record<string, Role>>;
  /** The roles of the operands; the last role applies to all further ones. */
  readonly operands: readonly Role[];
  /** Options that take the place of the first operand. */
  readonly instead?: readonly string[];
  /** It takes no options: an argument that begins with `-` is an operand too. */
  readonly hasNoOptions?: true;
  /** Matches code that certainly runs and reads nothing else. */
  readonly harmlessCode?: RegExp;
}

const plain = (flags: string, ...operands: Role[]): Program => ({ flags, operands });
const text = plain('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 'text');
const reads = (flags: string, options: Readonly<Record<string, Role>> = {}): Program => ({
  flags,
  options,
  operands: ['file'],
});
const grep: Program = {
  flags: 'EFGPivwxcLlmqsbHhnouzaUyTZ0123456789',
  options: { e: 'text', f: 'file', A: 'text', B: 'text', C: 'text', m: 'text' },
  longFlags: [
    'quiet',
    'silent',
    'ignore-case',
    'count',
    'fixed-strings',
    'extended-regexp',
    'perl-regexp',
    'word-regexp',
    'line-regexp',
    'invert-match',
    'only-matching',
    'no-messages',
    'line-number',
    'text',
    'no-filename',
    'line-buffered',
    'null-data',
  ],
  longOptions: { regexp: 'text', file: 'file', 'max-count': 'text', color: 'text', colour: 'text' },
  operands: ['text', 'file'],
  instead: ['e', 'f', 'regexp', 'file'],
};
const sum = reads('btwz');
const say: Program = { ...plain('', 'text'), hasNoOptions: true };

/**
 * Matches sed expressions without anything that reads, writes or runs: `r`, `w`, `e`, and the same as flags
 * of `s`.
 */
const harmlessSed =
  /^\s*(?:(?:\d+|\$|\/[^/\\\n]*\/)?(?:,(?:\d+|\$|\/[^/\\\n]*\/))?\s*!?\s*(?:[pdqnDGHNPgxhl=]|s(?:\/(?:[^/\\\n]|\\[^\n])*){2}\/[gpiI\d]*|s(?:\|(?:[^|\\\n]|\\[^\n])*){2}\|[gpiI\d]*|s(?:#(?:[^#\\\n]|\\[^\n])*){2}#[gpiI\d]*|y(?:\/(?:[^/\\\n]|\\[^\n])*){2}\/)\s*(?:;|$)\s*)*$/;
/** Matches awk code without pipes, files and system calls. */
const harmlessAwk =
  /^(?!.*(?:system|getline|include|load|close|fflush|@|ARGV|ARGC|ENVIRON|[^|]\|[^|]|[^<>=!]>|<\s*["(\w]))[^]*$/s;
/** Matches jq code without modules. */
const harmlessJq = /^(?![^]*\b(?:import|include|input_filename|modulemeta|get_search_list)\b)[^]*$/;

/** Programs whose command lines are known. Any other may read and run any file of a project. */
export const programs: Readonly<Record<string, Program>> = {
  ':': text,
  echo: say,
  printf: say,
  true: say,
  false: say,
  exit: say,
  return: say,
  break: say,
  continue: say,
  shift: say,
  unset: plain('fvn', 'text'),
  set: text,
  wait: plain('nfp', 'text'),
  kill: text,
  umask: plain('pS', 'text'),
  ulimit: text,
  getopts: say,
  let: say,
  times: say,
  type: plain('afptP', 'text'),
  hash: plain('rltd', 'text'),
  which: plain('as', 'text'),
  pwd: plain('LP'),
  dirs: text,
  jobs: text,
  sleep: say,
  expr: say,
  seq: { flags: 'w', options: { f: 'text', s: 'text' }, operands: ['text'] },
  basename: { flags: 'az', options: { s: 'text' }, operands: ['text'] },
  dirname: plain('z', 'text'),
  uname: text,
  whoami: text,
  id: text,
  hostname: { flags: 'sfdiI', operands: [] },
  printenv: plain('0', 'text'),
  nproc: plain(''),
  tty: plain('s'),
  date: {
    flags: 'uRI',
    options: { d: 'text', r: 'path' },
    longFlags: ['utc', 'iso-8601'],
    longOptions: { date: 'text', 'iso-8601': 'text', 'rfc-3339': 'text' },
    operands: ['text'],
  },
  mktemp: { flags: 'dqtu', options: { p: 'text' }, operands: ['text'] },
  logger: { flags: 'is', options: { t: 'text', p: 'text' }, operands: ['text'] },
  cat: { ...reads('AbeEnstTuv'), operands: ['file'] },
  tac: reads('br', { s: 'text' }),
  rev: reads(''),
  nl: reads('p', { b: 'text', w: 'text', s: 'text', n: 'text' }),
  head: {
    ...reads('qvz0123456789', { n: 'text', c: 'text' }),
    longOptions: { lines: 'text', bytes: 'text' },
  },
  tail: {
    ...reads('fFqvz0123456789', { n: 'text', c: 'text' }),
    longOptions: { lines: 'text', bytes: 'text' },
  },
  wc: { ...reads('clmwL'), longFlags: ['lines', 'words', 'bytes', 'chars'] },
  cut: {
    ...reads('nsz', { d: 'text', f: 'text', c: 'text', b: 'text' }),
    longOptions: { delimiter: 'text', fields: 'text', characters: 'text' },
    longFlags: ['complement'],
  },
  tr: plain('cdstC', 'text'),
  fold: reads('bs', { w: 'text' }),
  paste: reads('sz', { d: 'text' }),
  sort: reads('bdfghiMnRrVcCmsuz', { k: 'text', t: 'text', o: 'written' }),
  uniq: {
    flags: 'cdDiuz',
    options: { f: 'text', s: 'text', w: 'text' },
    operands: ['file', 'written'],
  },
  comm: reads('123z'),
  cmp: reads('bls', { n: 'text' }),
  md5sum: sum,
  sha1sum: sum,
  sha256sum: sum,
  sha512sum: sum,
  cksum: sum,
  base64: reads('di', { w: 'text' }),
  od: reads('abcdfhiloxv', { A: 'text', t: 'text', N: 'text', j: 'text', w: 'text' }),
  grep,
  egrep: grep,
  fgrep: grep,
  sed: {
    flags: 'nErsuz',
    options: { e: 'code', f: 'script', l: 'text' },
    longFlags: ['quiet', 'silent', 'regexp-extended', 'sandbox'],
    longOptions: { expression: 'code', file: 'script' },
    operands: ['code', 'file'],
    instead: ['e', 'f', 'expression', 'file'],
    harmlessCode: harmlessSed,
  },
  awk: {
    flags: '',
    options: { F: 'text', v: 'text', f: 'script' },
    longOptions: { file: 'script' },
    operands: ['code', 'file'],
    instead: ['f', 'file'],
    harmlessCode: harmlessAwk,
  },
  jq: {
    flags: 'rRcMSeasnCj',
    options: { f: 'script' },
    longFlags: [
      'raw-output',
      'raw-input',
      'compact-output',
      'exit-status',
      'null-input',
      'slurp',
      'sort-keys',
      'join-output',
      'ascii-output',
      'monochrome-output',
      'color-output',
      'tab',
      'unbuffered',
    ],
    longOptions: { 'from-file': 'script', indent: 'text' },
    operands: ['code', 'file'],
    instead: ['f', 'from-file'],
    harmlessCode: harmlessJq,
  },
  ls: plain('1aAlhtrRSdFiLGn', 'path'),
  stat: { flags: 'Lft', options: { c: 'text', f: 'text' }, operands: ['path'] },
  readlink: plain('fenmqsz', 'path'),
  realpath: plain('emLPqsz', 'path'),
  tee: plain('aip', 'written'),
  touch: { flags: 'acmh', options: { d: 'text', t: 'text', r: 'path' }, operands: ['written'] },
  mkdir: { flags: 'pv', options: { m: 'text' }, operands: ['written'] },
  rm: plain('firRdv', 'written'),
  rmdir: plain('pv', 'written'),
  chmod: plain('cfvR', 'text'),
  // A copied file may be run under its new name.
  cp: plain('afilnpPLHrRuv', 'script'),
  mv: plain('finuv', 'script'),
};

/** Matches inline code of interpreters that is so simple that it needs no file. */
export const harmlessInline =
  /^(?:\s|[;,()]|\d+|process\.exitCode\s*=|process\.exit|console\.(?:log|error)|\bprint\b|\bexit\b|\bputs\b|\bimport sys\b|sys\.exit|'[^'\\$@#`]*'|"[^"\\$@#`]*")*$/;

/**
 * A program that starts another one: its options, and how many operands of its own come before the other
 * program.
 */
export interface Wrapper {
  readonly flags: string;
  readonly options?: string;
  readonly longFlags?: readonly string[];
  readonly longOptions?: readonly string[];
  readonly operands?: number;
}

export const wrappers: Readonly<Record<string, Wrapper>> = {
  command: { flags: 'p' },
  builtin: { flags: '' },
  exec: { flags: 'cl', options: 'a' },
  nohup: { flags: '' },
  setsid: { flags: 'cfw', longFlags: ['wait', 'fork', 'ctty'] },
  nice: { flags: '0123456789', options: 'n', longOptions: ['adjustment'] },
  ionice: { flags: 't', options: 'cn' },
  timeout: {
    flags: 'fv',
    options: 'ks',
    longFlags: ['foreground', 'preserve-status', 'verbose'],
    longOptions: ['signal', 'kill-after'],
    operands: 1,
  },
  stdbuf: { flags: '', options: 'ioe', longOptions: ['input', 'output', 'error'] },
  time: { flags: 'pv' },
  sudo: {
    flags: 'nEHS',
    options: 'ugp',
    longFlags: ['non-interactive'],
    longOptions: ['user', 'group'],
  },
  doas: { flags: 'n', options: 'u' },
  env: {
    flags: 'i0v',
    options: 'uCS',
    longFlags: ['ignore-environment'],
    longOptions: ['unset', 'chdir', 'split-string'],
  },
};

/** Shells, whose scripts are shell code as well. */
export const shells: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'dash',
  'ash',
  'ksh',
  'zsh',
  'rbash',
]);

/** Matches variables that make a program load or run what they name, or that change how a shell reads. */
export const ruling =
  /^(?:PATH|CDPATH|ENV|IFS|PS4|GLOBIGNORE|SHELLOPTS|BASHOPTS|HOME|SHELL|EDITOR|VISUAL|PAGER|TMPDIR|CLASSPATH|ZDOTDIR|FPATH|PROMPT_COMMAND|EXECIGNORE|LESSOPEN|LESSCLOSE|BROWSER|(?:BASH|LD|DYLD|NODE|NPM|npm|PYTHON|PERL|PERL5|RUBY|GEM|BUNDLE|GIT|SSH|JAVA|_JAVA|JDK|LUA|PHP|MAKE|CARGO|RUST|GO|DENO|BUN|TS|AWK|JQ|GCONV|GLIBC|XDG|TCL|CURL|DOCKER|MAVEN|GRADLE)[A-Z0-9_a-z]*)$/;
