import { blurred, isSecret, secretMark, unknownMark } from './marks.ts';
import { CommandLine } from './options.ts';
import { anyProgram, readsSecret, type Program } from './program.ts';

/** Programs that show what is in the files that they are given, whatever stands before a file's name. */
const shows: Program = (at, args) => {
  const secret = args.map((text) => !text.startsWith('-') && readsSecret(at, text)).includes(true);
  return secret || isSecret(at.stdin) ? secretMark : blurred(at.stdin);
};

/** Commands that print a secret, by program, as words joined by spaces. */
const printing: Readonly<Record<string, RegExp>> = {
  aws: /(?:^| )(?:configure (?:get \S*(?:secret|token)|export-credentials)|sts (?:get-session-token|get-federation-token|assume-role\b)|secretsmanager (?:batch-)?get-secret-value|ssm get-parameters?(?:-by-path)? .*--with-decryption|ecr get-login-password|iam create-access-key)/,
  az: /^(?:account get-access-token|keyvault secret (?:show|download)|acr credential show|storage account keys list|ad sp create-for-rbac)/,
  gcloud:
    /^(?:auth (?:application-default )?print-(?:access|identity)-token|secrets versions access|iam service-accounts keys create)/,
  gh: /^auth (?:token|status .*--show-token)/,
  heroku: /^(?:config(?! ?:set)|auth:token)/,
  netlify: /^env:(?:list|get)/,
  vercel: /^env (?:ls|pull .*\/dev\/stdout)/,
  firebase: /^functions:(?:secrets:access|config:get)/,
  security: /(?:find-(?:generic|internet)-password .*-\w*[wg]|dump-keychain)/,
  gpg: /--export-secret-(?:sub)?keys/,
  gpg2: /--export-secret-(?:sub)?keys/,
  doppler: /^(?:secrets(?! (?:set|delete|upload))|run .*(?:env|printenv)$)/,
  terraform: /^(?:-\S+ )*state pull/,
  tofu: /^(?:-\S+ )*state pull/,
  infisical: /^(?:secrets(?! (?:set|delete))|export)/,
  chamber: /^(?:read|export|env)/,
  'ansible-vault': /^(?:view|decrypt .*--output[ =]?-)/,
  sops: /^(?:-d|--decrypt|decrypt|exec-env)/,
  age: /^(?:-d|--decrypt)/,
};

/** Whether a command prints a secret that it gets from a store or a server. */
export const printsSecret = (name: string, args: readonly string[]): boolean =>
  !args.some(
    (text) => /^(?:-o|--out(?:put|-file)?)$/.test(text) && /^(?:age|gpg2?|sops)$/.test(name),
  ) &&
  Object.hasOwn(printing, name) &&
  printing[name]!.test(args.join(' ').slice(0, 2_000));

const store: Program = (at, args, name) =>
  printsSecret(name, args) ? secretMark : anyProgram(at, args, name);

/** The commands of password managers that print a secret, not only its name. */
const reading: Readonly<Record<string, RegExp>> = {
  pass: /^(?!(?:ls|list|find|search|grep|insert|edit|generate|git|init|mv|cp|rm|version|help)\b)\S/,
  gopass:
    /^(?!(?:ls|list|find|search|grep|insert|edit|generate|git|init|mv|cp|rm|sync|version|help)\b)\S/,
  op: /^(?:read|document get|item get .*--(?:reveal|fields|format|otp))/,
};

const passwords: Program = (at, args, name) => {
  const shape = reading[name] ?? /^(?:read|get|show|lookup|kv get)\b/;
  if (shape.test(args.join(' '))) return secretMark;
  return isSecret(at.stdin) ? secretMark : unknownMark;
};

const compress: Program = (at, args) => {
  const line = new CommandLine(args, { valued: 'bSoT' });
  const secret = line.operands.map((name) => readsSecret(at, name)).includes(true);
  if (line.operands.length === 0) return blurred(at.stdin);
  return line.has('c', 'stdout', 'to-stdout') && secret ? secretMark : '';
};

/** Programs that print secrets: those of files, of stores and of servers. */
export const secretSources: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...'od hexdump hd column cmp diff colordiff comm join paste sort uniq fold fmt pr expand unexpand iconv strings jq yq dasel gron mlr look shuf tsort'
    .split(' ')
    .map((name): [string, Program] => [name, shows]),
  ...'gzip pigz bzip2 xz zstd lz4 brotli'
    .split(' ')
    .map((name): [string, Program] => [name, compress]),
  ...Object.keys(printing).map((name): [string, Program] => [name, store]),
  ...['pass', 'op', 'bw', 'vault', 'secret-tool', 'lpass', 'gopass'].map(
    (name): [string, Program] => [name, passwords],
  ),
]);
