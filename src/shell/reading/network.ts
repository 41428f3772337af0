import { compact } from './compact.ts';
import { runProxies } from './launchers.ts';
import { isSecret, remoteMark, secretMark, unknownMark } from './marks.ts';
import { CommandLine } from './options.ts';
import { touch } from './file-programs.ts';
import { readsSecret, readsSecretBelow, type Program } from './program.ts';
import type { Running } from './running.ts';
import { printsSecret } from './secret-sources.ts';

const local =
  /^(?:\w+:\/\/)?(?:[^/@]*@)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\]|::1|host\.docker\.internal)(?::\d+)?(?:[/?]|$)/i;

/** Whether an address is this machine. */
export const isLocal = (address: string): boolean => local.test(address);

/** Returns what a piece of data on a command line contains: `@file` names a file. */
function dataOf(at: Running, text: string, separator = '@'): string {
  const index = text.indexOf(separator);
  const file = index === -1 ? undefined : text.slice(index + 1).replace(/;.*$/, '');
  if (file === undefined || (index > 0 && !/^[\w[\].-]*=?$/.test(text.slice(0, index))))
    return text;
  if (file === '-') return at.stdin;
  readsSecret(at, file);
  return at.contentOf(at.path(file));
}

const sending =
  'd data data-raw data-binary data-urlencode data-ascii json F form form-string T upload-file'.split(
    ' ',
  );

const curlShape = {
  valued: 'AbCcDdEeFHhKmoPQrTtUuwXxYyz',
  longValued: [
    ...sending,
    ...'request header output user url cookie cookie-jar user-agent referer config max-time connect-timeout retry proxy cacert cert key write-out resolve range output-dir max-redirs retry-delay dump-header unix-socket connect-to preproxy proxy1.0 socks4 socks4a socks5 socks5-hostname doh-url'.split(
      ' ',
    ),
  ],
};

const curl: Program = (at, args) => {
  const line = new CommandLine(args, curlShape);
  const urls = [...line.operands, ...line.all('url')];
  const to = urls.join(' ');
  let text = urls.join(' ');
  for (const data of line.all(
    'd',
    'data',
    'data-binary',
    'data-ascii',
    'json',
    'data-urlencode',
    'F',
    'form',
  ))
    text += dataOf(at, data);
  for (const data of line.all('F', 'form')) if (data.includes('<')) text += dataOf(at, data, '<');
  for (const file of line.all('T', 'upload-file')) {
    readsSecret(at, file);
    text += file === '-' || file === '.' ? at.stdin : at.contentOf(at.path(file));
  }
  text += line
    .all('data-raw', 'form-string', 'A', 'user-agent', 'e', 'referer', 'b', 'cookie')
    .join(' ');
  // A token in a header, or a user with a password, is what an interface asks for.
  for (const header of line.all('H', 'header'))
    if (
      !/^\s*(?:authorization|cookie|x-[\w-]*(?:key|token)|private-token|api-?key|apikey)\s*:/i.test(
        header,
      )
    )
      text += header;
  const config = line.value('K', 'config');
  if (config !== undefined) {
    const settings = config === '-' ? at.stdin : at.contentOf(at.path(config));
    text += settings;
    for (const [, file = ''] of settings.matchAll(/[=\s"]@([^\s"]+)/g))
      if (readsSecret(at, file)) text += secretMark;
  }
  at.emit({ kind: 'send', to, text });
  return received(at, urls, line.value('o', 'output'), line.has('O', 'remote-name', 'J'));
};

/** What comes back, and the file that it goes to. */
function received(
  at: Running,
  urls: readonly string[],
  file: string | undefined,
  isNamed: boolean,
): string {
  const isFile = urls.some((url) => /^file:/i.test(url));
  const secret = urls.some((url) => isFile && readsSecret(at, url.replace(/^file:\/\/[^/]*/i, '')));
  const text = secret
    ? secretMark
    : isFile
      ? unknownMark
      : urls.every(isLocal) && urls.length > 0
        ? unknownMark
        : remoteMark;
  const names = file === undefined ? (isNamed ? urls.map(nameOf) : []) : [file];
  const written = names.filter((name) => name !== '-' && !/^\/dev\/(?:null|stdout)$/.test(name));
  for (const name of written) {
    touch(at, 'write', name, { text });
    at.write(at.path(name), text, false);
  }
  return names.includes('/dev/null') || written.length > 0 ? '' : text;
}

const nameOf = (url: string): string =>
  url.replace(/[?#].*$/, '').replace(/^.*\//, '') || 'index.html';

const wget: Program = (at, args) => {
  const line = new CommandLine(args, {
    valued: 'aBDeIilOoPQtTUwX',
    longValued: [
      'output-document',
      'post-data',
      'post-file',
      'body-data',
      'body-file',
      'header',
      'user',
      'password',
      'directory-prefix',
      'tries',
      'timeout',
      'input-file',
      'user-agent',
      'method',
      'execute',
      'referer',
      'output-file',
    ],
  });
  let text =
    line.operands.join(' ') +
    line.all('post-data', 'body-data', 'U', 'user-agent', 'referer').join(' ');
  for (const file of line.all('post-file', 'body-file')) {
    readsSecret(at, file);
    text += at.contentOf(at.path(file));
  }
  at.emit({ kind: 'send', to: line.operands.join(' '), text });
  if (line.has('spider')) return '';
  const folder = line.value('P', 'directory-prefix');
  const file =
    line.value('O', 'output-document') ??
    (folder === undefined ? undefined : `${folder}/${nameOf(line.operands[0] ?? '')}`);
  return received(at, line.operands, file, true);
};

const httpie: Program = (at, args) => {
  const { operands } = new CommandLine(args, {
    valued: 'oasp',
    longValued: ['output', 'auth', 'session'],
  });
  const isMethod = /^[A-Z]+$/.test(operands[0] ?? '');
  const [url = '', ...items] = isMethod ? operands.slice(1) : operands;
  const text = items.map((item) => dataOf(at, item)).join(' ') + at.stdin;
  at.emit({ kind: 'send', to: url, text: url + text });
  return isLocal(url) ? unknownMark : remoteMark;
};

const netcat: Program = (at, args, name) => {
  const line = new CommandLine(args, { valued: 'IiOPpqsTVwXxec', longValued: ['exec', 'sh-exec'] });
  const exec = line.value('e', 'c', 'exec', 'sh-exec');
  if (exec !== undefined || args.some((text) => /EXEC:|SYSTEM:/i.test(text)))
    at.emit({ kind: 'code', text: remoteMark, language: `${name} ${exec ?? ''}` });
  const to = line.operands.join(' ');
  if (to !== '' && !line.has('z', 'l'))
    at.emit({
      kind: 'send',
      to,
      text: at.stdin + line.operands.map((text) => dataOf(at, text)).join(''),
    });
  return line.operands.every((text) => isLocal(text) || /^\d+$/.test(text))
    ? unknownMark
    : remoteMark;
};

/** What clients are told on their input: to upload something with `put`, or to run something with `!`. */
function told(at: Running, to: string): void {
  const text = compact(at.stdin);
  for (const [, name = ''] of text.matchAll(/^\s*m?(?:re)?put\s+(?:-\w+\s+)*(\S+)/gm))
    if (readsSecretBelow(at, name)) at.emit({ kind: 'send', to, text: secretMark });
  for (const [, code = ''] of text.matchAll(/^\s*!\s*(.+)$/gm)) at.apart(() => at.code(code));
}

const copyOver: Program = (at, args, name) => {
  if (name === 'sftp') told(at, args.at(-1) ?? '');
  const line = new CommandLine(args, { valued: 'cFiJloPSX' });
  const target = line.operands.at(-1) ?? '';
  if (!/^[\w.-]*@?[\w.-]+:/.test(target)) {
    if (line.operands.length > 1) {
      at.write(at.path(target), remoteMark, false);
      touch(at, 'write', target);
    }
    return '';
  }
  for (const source of line.operands.slice(0, -1)) {
    const isRead = line.has('r') ? readsSecretBelow(at, source) : readsSecret(at, source);
    const text = isRead ? secretMark : at.contentOf(at.path(source));
    at.emit({ kind: 'send', to: target, text });
  }
  return '';
};

/** Takes apart the command line of a remote shell: the machine is the first operand. */
export const remoteLine = (args: readonly string[]): CommandLine =>
  new CommandLine(args, { valued: 'BbcDEeFIiJLlmOopQRSWw', isStrict: true });

const remoteShell: Program = (at, args) => {
  const line = remoteLine(args);
  const [host = '', ...words] = line.operands;
  runProxies(at, line.all('o'));
  if (isSecret(at.stdin)) at.emit({ kind: 'send', to: host, text: at.stdin });
  if (words.length === 0 && at.stdin === '') return '';
  return at.apart((state) => {
    if (!isLocal(host.replace(/^.*@/, ''))) state.where = 'remote';
    state.via = [...state.via, 'ssh'];
    return words.length === 0 ? at.code(at.stdin, { stdin: '' }) : at.code(words.join(' '));
  });
};

const nameService: Program = (at, args) => {
  const names = args.filter((text) => !/^[-+]/.test(text)).join(' ');
  if (isSecret(names)) at.emit({ kind: 'send', to: 'the name servers', text: names });
  return unknownMark;
};

const mail: Program = (at, args) => {
  const line = new CommandLine(args, { valued: 'abcrsSq' });
  for (const file of line.all('a', 'A')) readsSecret(at, file);
  const text =
    at.stdin +
    line
      .all('a', 'A', 'q')
      .map((file) => at.contentOf(at.path(file)))
      .join('') +
    line.all('s').join('');
  at.emit({ kind: 'send', to: line.operands.join(' '), text });
  return '';
};

/** Command-line clients whose arguments name files to upload or texts to post. */
const uploading: Program = (at, args, name) => {
  if (name.endsWith('ftp')) told(at, args.at(-1) ?? '');
  if (printsSecret(name, args)) return secretMark;
  let text = at.stdin;
  for (const [index, one] of args.entries()) {
    const isOption =
      /^--?\w[\w-]*$/.test(args[index - 1] ?? '') &&
      !/^(?:file|fileb):\/\/|^@/.test(one) &&
      !/^--?(?:body|source|files?|f|F|input|data|local-file)$/.test(args[index - 1] ?? '');
    if (isOption) continue;
    if (readsSecret(at, one.replace(/^fileb?:\/\//, '')))
      text += at.contentOf(at.path(one.replace(/^(?:--?[\w-]+=|@|fileb?:\/\/)/, '')));
    else if (isSecret(one) || at.state.files.has(at.path(one)))
      text += isSecret(one) ? one : at.contentOf(at.path(one));
  }
  if (isSecret(text)) at.emit({ kind: 'send', to: name, text });
  return unknownMark;
};

/** Programs that speak to other machines. */
export const network: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['curl', curl],
  ['wget', wget],
  ['wget2', wget],
  ...['http', 'https', 'xh', 'xhs', 'httpie'].map((name): [string, Program] => [name, httpie]),
  ...['nc', 'ncat', 'netcat', 'socat', 'telnet'].map((name): [string, Program] => [name, netcat]),
  ['scp', copyOver],
  ['sftp', copyOver],
  ['ssh', remoteShell],
  ['mosh', remoteShell],
  ...['dig', 'nslookup', 'host', 'ping', 'drill'].map((name): [string, Program] => [
    name,
    nameService,
  ]),
  ...['mail', 'mailx', 'mutt', 'sendmail', 'msmtp'].map((name): [string, Program] => [name, mail]),
  ...'gh glab aws gcloud az gsutil azcopy rclone s3cmd mc b2 doctl heroku vercel netlify flyctl fly wrangler firebase croc wormhole transfer ftp lftp magic-wormhole'
    .split(' ')
    .map((name): [string, Program] => [name, uploading]),
  [
    'aria2c',
    (at, args) => {
      const line = new CommandLine(args, { valued: 'odxsjk', longValued: ['out', 'dir'] });
      const urls = line.operands;
      at.emit({ kind: 'send', to: urls.join(' '), text: urls.join(' ') });
      return received(at, urls, line.value('o', 'out'), true);
    },
  ],
]);
