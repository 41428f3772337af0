import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { redacted } from './secrets.ts';

/**
 * Shapes that secretlint has no rule for, or ignores because they may be examples: a linter must not raise a
 * false alarm, but here a secret must not be shown.
 */
const ownShapes: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----[^]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|$)/g,
  /(?<=Private-Lines: \d{1,4}\r?\n)[\w+/=\r\n]+/g,
  /\bAGE-SECRET-KEY-1[0-9A-Z]{20,}/g,
  // AWS, with the secret next to the id.
  /\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,20}\b(?:[\s,:;|"'/]{1,5}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+]))?/g,
  /\b(?:gh[pousr]|github_pat)_\w{16,}/g,
  /\bgl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|imt|oas)-[\w-]{16,}/g,
  /\beyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*){0,3}/g,
  /\bxox[a-z]-[\w-]{8,}|\bxapp-[\w-]{8,}|\bxwfp-[\w-]{8,}/g,
  /(?<=hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)[\w/]{8,}/g,
  /(?<=discord(?:app)?\.com\/api\/webhooks\/)[\w/-]{8,}/g,
  /\b(?:sk|rk)_(?:live|test|prod)_\w{8,}|\bwhsec_[\w+/=]{16,}/g,
  /\bnpm_\w{20,}/g,
  /\bsk-(?:ant|or|proj|svcacct|admin|lf)-[\w-]{8,}|(?<![\w-])sk-(?=[\w-]{0,60}\d)[\w-]{16,}/g,
  /\bAIza[\w-]{20,}|\bya29\.[\w-]{16,}|\bGOCSPX-[\w-]{16,}/g,
  /\bSG\.[\w-]{8,}\.[\w-]{8,}/g,
  /\b(?:SK|AC)[0-9a-fA-F]{32}\b/g,
  /\b(?:hf|gsk|r8|nvapi|xai|pplx|tvly|lin_api|figd|dckr_pat|dop_v1|doo_v1|shpat|shpss|shpca|shppa|glsa|glc|sbp|PMAK|NRAK|sntrys|sntryu|pypi|rubygems|dapi|ATATT3|hvs|hvb|ops|vcp|pscale_tkn|pscale_pw|dp\.pt)[-_.][\w.=+/-]{16,}/g,
  /\bATATT3[\w=-]{16,}|\bdapi[0-9a-f]{32}/g,
  /\b\d{8,10}:AA[\w-]{30,}/g,
  /\bkey-[0-9a-f]{32}\b|\b[0-9a-f]{32}-us\d{1,2}\b/g,
  /\bEAA[A-Za-z0-9]{40,}/g,
  /\bsq0(?:atp|csp)-[\w-]{20,}/g,
  /(?<=\b[\w~.-]{3})8Q~[\w~.-]{30,}/g,
];

/**
 * Redacts everything that has the shape of a secret, wherever it occurs: the tokens and keys that services
 * issue.
 */
export function redactShapes(text: string): string {
  // No secret is shorter.
  if (text.length < 16) return text;
  const shown = ownShapes.reduce((whole, shape) => whole.replace(shape, redacted), text);
  return redactRanges(shown, secretlint()(shown));
}

type Range = readonly [from: number, to: number];

function redactRanges(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  let shown = '';
  let at = 0;
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (to <= at) continue;
    if (from >= at) shown += `${text.slice(at, from)}${redacted}`;
    at = to;
  }
  return `${shown}${text.slice(at)}`;
}

/**
 * Rules that do not look for a secret's shape in a text, and those for addresses, in which only the password
 * is hidden.
 */
const unusedRules = /-(?:filter-comments|gcp|basicauth|database-connection-string)$/;

let found: ((text: string) => readonly Range[]) | undefined;

/**
 * Returns a function that runs secretlint's rules, which are created for the first text. Each rule is called
 * directly, because secretlint's own call is asynchronous and nothing may be written before it has been
 * checked.
 */
function secretlint(): (text: string) => readonly Range[] {
  if (found) return found;
  const ranges: Range[] = [];
  const context = {
    report: ({ range }: { range: Range }) => void ranges.push(range),
    ignore: () => undefined,
    createTranslator: () => () => ({ message: '', messageId: '' }),
  };
  const made = rules
    .filter(({ meta }) => !unusedRules.test(meta.id))
    .map((rule) => rule.create(context as never, {}));
  const file = { filePath: '', ext: '', contentType: 'text', hasBOM: false } as const;
  return (found = (content) => {
    ranges.length = 0;
    for (const { file: look } of made) void look?.({ ...file, content });
    return [...ranges];
  });
}
