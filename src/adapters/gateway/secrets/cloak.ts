import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isRecord } from '../../../base/json.ts';
import { secretKeys } from '../../../settings/redaction/secrets.ts';
import { parsed, textOf } from '../formats/shared.ts';
import { secretsIn } from './find-secrets.ts';

const prefix = 'HM_SECRET_';
const placeholder = /HM_SECRET_[0-9a-f]{16}/g;

/** What is not text for the model: marks and ids that must come back as they were, and tools. */
const untouched = new Set([
  'cache_control',
  'call_id',
  'encrypted_content',
  'id',
  'item_id',
  'metadata',
  'model',
  'previous_response_id',
  'prompt_cache_key',
  'role',
  'signature',
  'thoughtSignature',
  'thought_signature',
  'toolConfig',
  'tool_call_id',
  'tool_choice',
  'tool_use_id',
  'tools',
  'type',
]);

/** The shortest secret that is replaced wherever it occurs, in characters. */
const shortestAnywhere = 8;

/** How many texts are known not to need another look. */
const mostKnown = 20_000;

/** The longest text that is remembered as it is, in characters: of others only a digest is. */
const longestKnown = 100;

const isSecretKey = secretKeys([]);

/**
 * Takes the secrets out of what is sent to a model, and puts them back into the arguments of the tools that it
 * calls. The same secret has the same placeholder as long as this lives; nothing of it is stored.
 */
export class Cloak {
  readonly #key = randomBytes(32);
  readonly #secrets = new Map<string, string>();
  /** The secrets of texts that were seen before: conversations repeat. */
  readonly #known = new Map<string, readonly string[]>();
  #anywhere: RegExp | undefined;

  /** Whether a conversation holds placeholders of an earlier run, whose values nobody knows any more. */
  hasUnknown = false;

  /** How many secrets have been replaced. */
  get size(): number {
    return this.#secrets.size;
  }

  /** The same value without secrets; the value itself if it has none. */
  hide<Value>(value: Value): Value {
    this.#learn(value, undefined);
    return this.#secrets.size === 0 ? value : (this.#replaced(value, undefined) as Value);
  }

  /** A text of JSON with the secrets in place of their placeholders. */
  reveal(json: string): string {
    if (!json.includes(prefix)) return json;
    const value = parsed(json);
    return value === undefined ? this.#shown(json) : JSON.stringify(this.#revealed(value));
  }

  #revealed(value: unknown): unknown {
    if (typeof value === 'string') return this.#shown(value);
    if (Array.isArray(value)) return value.map((one) => this.#revealed(one));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [this.#shown(key), this.#revealed(one)])); // prettier-ignore
  }

  #shown(text: string): string {
    // A secret may have been found around another.
    let now = text;
    for (let depth = 0; depth < 3 && now.includes(prefix); depth++)
      now = now.replace(placeholder, (mark) => this.#secrets.get(mark) ?? mark);
    return now;
  }

  /** Remembers the secrets in a value. */
  #learn(value: unknown, key: string | undefined, isArguments = false): void {
    if (typeof value === 'string') {
      const inside = key === 'arguments' ? parsed(value) : undefined;
      if (isRecord(inside)) return this.#learn(inside, undefined, true);
      for (const secret of this.#secretsOf(value, key)) this.#remember(secret);
    } else if (Array.isArray(value)) value.forEach((one) => this.#learn(one, key, isArguments));
    else if (isRecord(value) && (isArguments || value['type'] !== 'thinking'))
      for (const [name, one] of Object.entries(value))
        if (isText(value, name, isArguments)) this.#learn(one, name, isArguments || isOwn(name, one)); // prettier-ignore
  }

  #secretsOf(text: string, key: string | undefined): readonly string[] {
    if (key !== undefined && text !== '' && !text.includes(prefix) && isSecretKey(key)) {
      const own = secretsIn(`${key}=${text}`);
      if (own.length > 0) return own;
    }
    const known = this.#known.get(keyOf(text));
    if (known) return known;
    for (const [mark] of text.matchAll(placeholder))
      if (!this.#secrets.has(mark)) this.hasUnknown = true;
    const found = [...secretsIn(text), ...encodedIn(text)].filter((secret) => !isPlaceholder(secret)); // prettier-ignore
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.set(keyOf(text), found);
    return found;
  }

  #remember(secret: string): void {
    const mark = this.#markOf(secret);
    if (this.#secrets.has(mark)) return;
    this.#secrets.set(mark, secret);
    const all = [...this.#secrets.values()].filter((one) => one.length >= shortestAnywhere);
    this.#anywhere =
      all.length === 0
        ? undefined
        : new RegExp(all.toSorted((one, other) => other.length - one.length).map(escaped).join('|'), 'g'); // prettier-ignore
  }

  #markOf(secret: string): string {
    return `${prefix}${createHmac('sha256', this.#key).update(secret).digest('hex').slice(0, 16)}`;
  }

  #replaced(value: unknown, key: string | undefined, isArguments = false): unknown {
    if (typeof value === 'string') {
      const inside = key === 'arguments' ? parsed(value) : undefined;
      if (!isRecord(inside)) return this.#hidden(value, key);
      const now = this.#replaced(inside, undefined, true);
      return now === inside ? value : JSON.stringify(now);
    }
    if (Array.isArray(value)) {
      const now = value.map((one) => this.#replaced(one, key, isArguments));
      return now.every((one, place) => one === value[place]) ? value : now;
    }
    if (!isRecord(value) || (!isArguments && value['type'] === 'thinking')) return value;
    const now = Object.entries(value).map(
      ([name, one]) =>
        [name, isText(value, name, isArguments) ? this.#replaced(one, name, isArguments || isOwn(name, one)) : one] as const, // prettier-ignore
    );
    return now.every(([name, one]) => one === value[name]) ? value : Object.fromEntries(now);
  }

  #hidden(text: string, key: string | undefined): string {
    let now = this.#anywhere === undefined ? text : text.replace(this.#anywhere, (one) => this.#markOf(one)); // prettier-ignore
    for (const secret of this.#secretsOf(text, key))
      // A short one is replaced only where it was found to be one.
      if (secret.length < shortestAnywhere && now.includes(secret))
        now = now.replace(
          new RegExp(`(?<=[=:"'\\s@/]|^)${escaped(secret)}(?=["'\\s,;&@]|$)`, 'g'),
          () => this.#markOf(secret),
        );
    const encoded = this.#encoded(now);
    return encoded === text ? text : encoded;
  }

  /** Replaces what hides a known secret in base64. */
  #encoded(text: string): string {
    if (this.#anywhere === undefined) return text;
    return text.replace(base64, (run) => {
      const inside = decoded(run);
      if (inside === undefined || !this.#has(inside)) return run;
      const mark = this.#markOf(run);
      this.#secrets.set(mark, run);
      return mark;
    });
  }

  #has(text: string): boolean {
    return [...this.#secrets.values()].some((secret) => secret.length >= shortestAnywhere && text.includes(secret)); // prettier-ignore
  }
}

/** Whether a field holds the arguments or the result of a call, whose fields mean what the tool wants. */
const isOwn = (name: string, value: unknown): boolean =>
  isRecord(value) && ['input', 'args', 'arguments', 'response'].includes(name);

/** Whether a field may hold text for the model. */
const isText = (
  object: Readonly<Record<string, unknown>>,
  name: string,
  isArguments: boolean,
): boolean => (isArguments || !untouched.has(name)) && !isMedia(object, name);

const keyOf = (text: string): string =>
  text.length <= longestKnown ? text : createHash('sha256').update(text).digest('base64');

const isPlaceholder = (text: string): boolean => text.replace(placeholder, '').trim() === '';

const escaped = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');

/** Whether a field holds bytes of a picture or a file that is no text. */
function isMedia(object: Readonly<Record<string, unknown>>, key: string): boolean {
  const kind = textOf(object['media_type'] ?? object['mimeType'] ?? object['mime_type']);
  if (key === 'data') return kind !== '' && !/^text\/|json|xml|yaml|javascript/.test(kind);
  const value = object[key];
  return typeof value === 'string' && /^data:(?:image|audio|video|application\/pdf)/.test(value);
}

const base64 = /[A-Za-z0-9+/_-]{24,}={0,2}/g;

/** The text that a run of base64 encodes; undefined if it encodes none. */
function decoded(run: string): string | undefined {
  const text = Buffer.from(run, 'base64').toString('utf8');
  // oxlint-disable-next-line no-control-regex -- what no text contains
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text) ? undefined : text;
}

/** The runs of base64 that encode a secret. */
const encodedIn = (text: string): string[] =>
  (text.match(base64) ?? []).filter((run) => {
    const inside = decoded(run);
    return inside !== undefined && secretsIn(inside).length > 0;
  });
