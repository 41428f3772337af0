/** The text that replaces anything that must not be shown. */
export const redacted = '[redacted]';

/** Removes characters within a word that nobody sees and programs ignore, such as a soft hyphen. */
export const withoutInvisible = (text: string): string =>
  text.replaceAll(/(?<=[\w.-])[\u00AD\u200B-\u200D\u2060\uFEFF]+(?=[\w.=:-])/g, '');

/**
 * Returns true if the value of a key is a secret, judging by the name, or by the value where only that can
 * tell.
 */
export type IsSecret = (name: string, value?: unknown) => boolean;

/**
 * Matches the endings of names of secrets, without separators: GITHUB_TOKEN, githubToken, X-Api-Key. A count
 * of tokens is not a secret.
 */
const secretEnding =
  /(?:(?:password|passwd|passwort|kennwort|wachtwoord|contraseña|motdepasse|пароль|密码|密碼|パスワード|비밀번호|passphrase|passcode|pswd|pwd|secret|(?:one-?time|verification|security|2fa|mfa|recovery|backup)code|credential|cookie|authorization|securestring|stringdata|mnemonic|seedphrase|privkey|clientkeydata|(?:api|access|secret|private|encryption|signing|master|account|shared)key|(?:access|refresh|auth|session|api|bearer)token)s?|token|jwt|bearer)\d*$/;

/** Matches words that mark a secret even if other words follow: API_KEY_PROD, SecretString, PASSWORD_DB. */
const secretWords =
  /^(?:.*(?:passwords?|passwd|passphrase|passcode|pwd|secrets?|apikeys?|privatekey|accesskey)|token|credentials?)\d*$/;

/** Matches two words that together mark a secret. */
const secretPairs = /^(?:api|access|secret|private|encryption|signing|master)keys?$/;

/** Last words of names that describe a secret rather than hold it: its length, its file, when it expires. */
const aboutSecret = new Set(
  (
    'count counts limit limits length len size type types name names id ids url uri endpoint file filename path dir folder ' +
    'policy policies rule rules expiry expires expiration ttl age lifetime usage used use budget field fields label hint prompt ' +
    'title description required optional enabled disabled valid invalid strength reset rotation manager provider providers ' +
    'store version format algorithm alg method scheme source at on in by per date time timestamp index position offset ref ' +
    'arn exists missing set issuer audience scope scopes window bucket buckets stream budget cost price rate ratio total ' +
    'estimate estimator counter parser generator validator encoder decoder factory handler helper helpers service error errors ' +
    'status state mode kind class column columns attribute attributes input page pages link button text_input form stdin'
  ).split(' '),
);

/** First words of names that ask or count. */
const askingWords = new Set('is has had max min num needs requires should can'.split(' '));

/** Words before "key" for keys that are not secrets. */
const plainKeys = new Set(
  (
    'primary foreign public sort partition cache hot object row unique index group idempotency translation answer map parent ' +
    'lookup shortcut arrow enter escape search event item default config settings meta header table column field ' +
    'composite natural surrogate routing dedup tab function modifier hash range join order view registry json dict host ssh_host message data'
  ).split(' '),
);

/** Owners whose keys are secrets, even if they are not in upper case as in an environment. */
const keyOwners = new Set(
  (
    'openai anthropic claude gemini google gcp azure aws stripe github gitlab slack twilio sendgrid mailgun mailchimp npm heroku ' +
    'datadog sentry algolia mapbox maps firebase supabase openrouter mistral groq cohere huggingface hf replicate deepseek xai ' +
    'perplexity pinecone cloudflare digitalocean linear notion figma vercel netlify plaid paypal square shopify okta auth0 ' +
    'jwt session decryption encrypt decrypt crypto hmac aes rsa ssh gpg pgp tls ssl deploy license licence service admin root ' +
    'app application consumer client webhook functions bot vault recovery wallet subscription auth user db database redis postgres mysql'
  ).split(' '),
);

/** Matches values that reveal nothing: a type, a switch, or what was already redacted. */
const plainValue =
  /^(?:true|false|null|none|nil|undefined|yes|no|on|off|string|str|number|boolean|bool|any|unknown|void|never|int|integer|bytes|object|required|optional|secretstr|\*+|\.{3}|…|\[redacted\])?$/i;

/** Whether a word looks random: many characters, in both cases, with digits. */
export const isRandom = (word: string): boolean =>
  word.length >= 10 &&
  /\d/.test(word) &&
  /[a-z]/.test(word) &&
  (/[A-Z]/.test(word) || word.length >= 24) &&
  !/[\s/\\(]/.test(word);

/** Whether a value cannot be a secret, whatever its name. */
export const isPlain = (value: unknown): boolean =>
  typeof value === 'boolean' ||
  value === null ||
  value === undefined ||
  (typeof value === 'string' && plainValue.test(value));

/**
 * Returns the test for secret keys. Names from the settings are whole names; `api_key`, `apiKey` and
 * `API-KEY` are the same.
 */
export function secretKeys(names: readonly string[]): IsSecret {
  const own = new Set(names.map(bare));
  // Cached, because the same few names occur again and again.
  const known = new Map<string, boolean>();
  const judge: IsSecret = (given, value) => {
    const name = withoutInvisible(given);
    if (own.has(bare(name))) return true;
    if (name.length > 200) return secretEnding.test(bare(name.slice(-200)));
    // The current and the previous folder.
    if (
      /^(?:OLD)?PWD$/.test(name) &&
      typeof value === 'string' &&
      /^(?:[/~]|[A-Za-z]:)/.test(value)
    )
      return false;
    const words = wordsOf(name);
    const last = words.at(-1) ?? '';
    if (askingWords.has(words[0] ?? '') && words.length > 1) return false;
    if (secretEnding.test(bare(name))) return true;
    return (
      isSecretInside(words, last) ||
      (mayBeSecret(value) && (isOwnersKey(name, words) || isShort(name, words, last, value)))
    );
  };
  return (name, value) => {
    if (value !== undefined) return judge(name, value);
    let isSecret = known.get(name);
    if (isSecret !== undefined) return isSecret;
    isSecret = judge(name);
    if (known.size >= mostKnown) known.clear();
    known.set(name, isSecret);
    return isSecret;
  };
}

/** How many names are cached. */
const mostKnown = 2_000;

/** Whether it is a secret with a suffix. */
const isSecretInside = (words: readonly string[], last: string): boolean =>
  words.length > 1 &&
  !aboutSecret.has(last) &&
  words.some(
    (word, at) => secretWords.test(word) || secretPairs.test(`${word}${words[at + 1] ?? ''}`),
  );

/** Whether it is the key of a known owner: OPENAI_KEY, stripeKey, KEY_OPENAI. */
function isOwnersKey(name: string, words: readonly string[]): boolean {
  const at = words.findIndex((word) => /^keys?\d*$/.test(word));
  if (at === -1 || words.length < 2 || aboutSecret.has(words.at(-1)!)) return false;
  const others = words.filter((_, index) => index !== at);
  if (others.some((word) => plainKeys.has(word))) return false;
  return name === name.toUpperCase()
    ? at === words.length - 1 || others.some((word) => keyOwners.has(word))
    : others.some((word) => keyOwners.has(word));
}

/**
 * Whether it is one of the short names: DB_PASS, smtpPass, GITHUB_PAT, the `_auth` of npm, the `sig` of an
 * address.
 */
function isShort(name: string, words: readonly string[], last: string, value: unknown): boolean {
  if (
    /^pass\d*$/.test(last) ||
    /^(?:db|user|my|admin|root|smtp|mail|ftp|ssh|store|key)pass$/.test(last)
  )
    return typeof value !== 'string' || !/^(?:ed)?\d*$/.test(value);
  if (/^(?:pw|otp|totp|cvv|cvc)\d*$/.test(last)) return true;
  // Anyone who knows the address of a webhook can send to it.
  if (/_WEBHOOK(?:_UR[IL])?$/.test(name)) return true;
  if (last === 'pat') return name === name.toUpperCase() && words.length > 1;
  if (name === '_auth') return true;
  // Without a value it cannot be told yet.
  const text = typeof value === 'string' ? value : undefined;
  if (last === 'auth')
    return (
      text === undefined ||
      isRandom(text) ||
      (/^[A-Za-z0-9+/]{8,}={0,2}$/.test(text) && isUserAndPassword(text))
    );
  return /^(?:sig|signature)$/.test(last) && (text === undefined || /^[\w+/=%.-]{16,}$/.test(text));
}

/** Whether it has the form that basic authentication sends. */
export const isUserAndPassword = (base64: string): boolean =>
  /^[\x20-\x7E]*:[\x20-\x7E]*$/.test(Buffer.from(base64, 'base64').toString('latin1'));

const mayBeSecret = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && !/^-?\d{0,4}$/.test(value));

const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

const bare = (name: string): string => name.toLowerCase().replaceAll(/[_\s-]/g, '');

/**
 * Returns the test for secret fields of an object: by their own names, or as the `value` of what a sibling
 * field names.
 */
export function secretFields(object: object, isSecret: IsSecret): IsSecret {
  const fields = object as Readonly<Record<string, unknown>>;
  const isNamed = Object.keys(fields).some((field) => {
    const name = isName(field) ? fields[field] : undefined;
    return typeof name === 'string' && isSecret(name);
  });
  const isKubernetes = fields['kind'] === 'Secret';
  return (field, value) =>
    !isPlain(value) &&
    (isSecret(field, value) ||
      (isNamed && isValue(field)) ||
      (isKubernetes && /^(?:data|stringData)$/.test(field)));
}

/** Whether a field names what a sibling field holds. */
export const isName = (field: string): boolean =>
  /^(?:\w{0,40}name|\w{0,40}key|field|id|header|variable|param|parameter|option|k)$/i.test(field);

/** Whether a field holds what a sibling field names. */
export const isValue = (field: string): boolean =>
  /^(?:\w{0,40}values?|val|v|content|default)$/i.test(field);
