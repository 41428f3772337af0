import { readFileSync, statSync } from 'node:fs';
import { isRecord } from '../../base/json.ts';
import type { Effect, RunEffect } from '../../shell/reading/effects.ts';
import { isKnown, isSecret, shown } from '../../shell/reading/marks.ts';
import { isLocal, remoteLine } from '../../shell/reading/network.ts';
import { absolute } from '../../shell/reading/paths.ts';
import { isRandom } from '../../settings/redaction/secrets.ts';
import { addressesIn } from '../reading/addresses.ts';
import { worksHere } from '../reading/call-effects.ts';
import { namesIn } from './names.ts';

/** Something that a call would send to another machine. */
export interface Sent {
  /** Whom it goes to, as the call says it. */
  readonly to: string;
  /** The names in `to`: hosts, addresses. */
  readonly recipients: readonly string[];
  /** All names in the call, of places and people. */
  readonly names: readonly string[];
  /** Whether more is sent than the address. */
  readonly isData: boolean;
  /** Whether contents of files are sent. */
  readonly isUpload: boolean;
  readonly isSecret: boolean;
  /** The part of the call. */
  readonly by: string;
}

/** Tools that act on others: they send, post, pay, invite. */
const acting =
  /send|post|publish|upload|share|tweet|comment|reply|forward|invite|transfer|pay(?:ment)?\b|e-?mail|message|notify|schedule|book|reserve|submit|create_(?:issue|pull|pr|gist|event|comment|page|file|calendar|channel)|update_(?:issue|pull|page|password|user|scheduled)|add_(?:user|channel|participant|comment|member)|push_|webhook|http_?request|dm\b/i;
/** Tools that only read, whatever else their names say. */
const reading =
  /^(?:\w+__)*(?:get|list|read|search|find|show|view|check|count|describe|fetch|browse)[_A-Z]/;

const recipientKeys =
  /^(?:to|recipients?|cc|bcc|channel|user|username|user_email|email|address|url|uri|iban|account|participants?|phone|host|domain|owner|repo|invitees?|webhook|endpoint|destination|target)$/i;
const bodyKeys = /body|data|payload|content|json|form|params|headers|text|message|input/i;

const isFile = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
};

/** Code that speaks to other machines. */
const speaks =
  /https?:|\brequests\b|urllib|http\.client|httpx|aiohttp|\bsocket\b|fetch\s*\(|axios|smtplib|paramiko|net\.(?:connect|createConnection)|dns\.|XMLHttpRequest|Net::HTTP|LWP|curl_exec|file_get_contents|child_process|subprocess|os\.system/;
const interpreters = /^(?:python[\d.]*|node|nodejs|deno|bun|tsx|ruby|perl|php|(?:ba|z|da)?sh)$/;
const clouds = /^(?:aws|gsutil|gcloud|az|rclone|s3cmd|mc|b2|dropbox_uploader)$/;
const uploads =
  /@|\s-[TF]\b|--(?:upload-file|form|post-file|body-file|data-binary)|[<|]|^(?:scp|rsync|sftp)\b/;

/** How large a script may be that is looked through, in bytes. */
const mostScript = 500_000;

/** Returns what a call would send to other machines. */
export function sentBy(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  effects: readonly Effect[],
): Sent[] {
  const readsFiles = effects.some(
    (effect) =>
      effect.kind === 'run' && effect.args.some((text) => isFile(absolute(text, effect.cwd))),
  );
  const found = effects
    .flatMap(sentIn)
    .map((one) => ({ ...one, isUpload: one.isUpload || readsFiles }));
  return worksHere(effects) ? found : [...found, ...sentByTool(tool, input)];
}

function sentIn(effect: Effect): Sent[] {
  switch (effect.kind) {
    case 'send': {
      const { to, text, by } = effect;
      if (to === 'git' || (to !== '' && to.split(' ').every(isLocal))) return [];
      const rest = text.replace(to, '').trim();
      const isData = rest !== '' || carriesData(to) || !/^\S+$/.test(to);
      return [sent(to, `${to} ${text}`, isData, by, { isSecret: isSecret(text) })];
    }
    case 'code':
      return speaks.test(effect.text) || isSecret(effect.text)
        ? [
            sent('', effect.text, true, effect.by, {
              isSecret: isSecret(effect.text),
              isUpload: true,
            }),
          ]
        : [];
    case 'run':
      return sentByProgram(effect);
    default:
      return [];
  }
}

function sentByProgram({ name, args, by, cwd }: RunEffect): Sent[] {
  const words = args.join(' ');
  if (name === 'git')
    return /\b(?:push|remote\s+(?:add|set-url)|fetch|clone)\b/.test(words) && /\bpush\b|\bremote\b/.test(words) && /:\/\/|\w@[\w.-]+:/.test(words) // prettier-ignore
      ? [sent(words, words, true, by, { isUpload: true })]
      : [];
  if (name === 'gh' || name === 'glab')
    return /^(?:gist create|snippet create|(?:issue|pr|mr) (?:create|comment|note)|release upload|secret set|api .*(?:-f|-F|--field|--input|-X))/.test(words) // prettier-ignore
      ? [sent(name === 'gh' ? 'github.com' : 'gitlab.com', words, true, by, { isUpload: /gist|snippet|--input|upload/.test(words) })] // prettier-ignore
      : [];
  if (
    clouds.test(name) &&
    /\b(?:cp|sync|mv|copy|copyto|move|put|upload|put-object|rcat)\b/.test(words)
  )
    return [sent(words, words, true, by, { isUpload: true })];
  if (
    /^(?:dig|nslookup|host|drill|ping|telnet|ftp|tftp|mail|mailx|sendmail|mutt|swaks)$/.test(name)
  )
    return [sent(words, words, /\$|`|mail|mutt|swaks/.test(by) || longLabel.test(words), by, {})];
  if (name === 'ssh' || name === 'mosh') return sentByShell(args, by);
  if (!interpreters.test(name)) return [];
  const file = args.find((text) => !text.startsWith('-'));
  const code = file === undefined ? '' : scriptAt(absolute(file, cwd));
  return speaks.test(code) ? [sent('', code, true, by, { isUpload: true })] : [];
}

/** What runs on another machine is known to whoever owns it. */
function sentByShell(args: readonly string[], by: string): Sent[] {
  const { operands } = remoteLine(args);
  const [host = '', ...words] = operands;
  return isLocal(host.replace(/^.*@/, '')) || (words.length === 0 && !/[<|]/.test(by))
    ? []
    : [sent(host, operands.join(' '), true, by, {})];
}

/** A label of a host's name that carries data. */
const longLabel = /[\w-]{25,63}\./;

function scriptAt(path: string): string {
  try {
    return isFile(path) && statSync(path).size < mostScript ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

function sentByTool(tool: string, input: Readonly<Record<string, unknown>>): Sent[] {
  const entries = Object.entries(input);
  const text = JSON.stringify(input);
  const addresses = addressesIn(tool, input);
  const isActing = acting.test(tool) && !reading.test(tool);
  if (addresses.length > 0) {
    const away = addresses.filter((to) => !isLocal(to));
    if (away.length === 0) return [];
    const isData =
      isActing ||
      away.some(carriesData) ||
      entries.some(([key, value]) => bodyKeys.test(key) && hasContent(value));
    return [sent(away.join(' '), text, isData, tool, { isUpload: true })];
  }
  if (!isActing) return [];
  const recipients = entries.flatMap(([key, value]) =>
    recipientKeys.test(key) ? [value].flat().filter((one) => typeof one === 'string') : [],
  );
  const given = recipients.map((name) => name.toLowerCase());
  const one = sent(recipients.join(', '), text, true, tool, { isUpload: true });
  return [{ ...one, recipients: given, names: [...new Set([...one.names, ...given])] }];
}

const hasContent = (value: unknown): boolean =>
  (typeof value === 'string' && value.length > 0) ||
  (isRecord(value) && Object.keys(value).length > 0);

/** An address that is longer carries data. */
const longestAddress = 2_000;

/** Whether an address carries more than where something is. */
const carriesData = (address: string): boolean =>
  address.length > longestAddress ||
  address
    .split(' ')
    .some(
      (one) =>
        /[?&#][^=]*=?[^&]{12,}/.test(one) ||
        one.split(/[/?&#=.:@]/).some((piece) => isRandom(piece) || piece.length >= 40),
    );

const opensFiles =
  /\bopen\s*\(|readFile|read_text|read_bytes|File\.read|file_get_contents|createReadStream/;

const sent = (
  to: string,
  text: string,
  isData: boolean,
  by: string,
  { isSecret: carries = false, isUpload = false }: { isSecret?: boolean; isUpload?: boolean },
): Sent => ({
  to: shown(to),
  recipients: recipientsIn(to),
  names: [...new Set([...namesIn(text), ...recipientsIn(to)])],
  isData,
  // What is not known of a text came from a file or a program.
  isUpload: isUpload || uploads.test(by) || !isKnown(text) || opensFiles.test(text),
  isSecret: carries,
  by: shown(by),
});

/** A host may be written alone, or with a user and a path. */
const recipientsIn = (to: string): string[] => [
  ...namesIn(to).filter((name) => !name.includes('://')),
  ...to
    .toLowerCase()
    .split(/[\s,]+/)
    .flatMap((word) => /^(?:[^@/:]*@)?([\w-]+(?:\.[\w-]+)+)(?::|$)/.exec(word)?.[1] ?? []),
];
