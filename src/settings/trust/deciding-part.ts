import { basename } from 'node:path';
import { isRecord } from '../../base/json.ts';
import { gitSettings } from '../../shell/git-settings.ts';

/**
 * Returns how to find the part of a file that decides what is run, for files of which only a part does;
 * undefined for all others. It returns undefined for a text that it does not understand, which counts as a
 * whole.
 */
export function decidingPart(path: string): ((text: string) => string | undefined) | undefined {
  const name = basename(path);
  if (name === 'package.json') return ofManifest;
  if (name === 'package-lock.json' || name === 'npm-shrinkwrap.json') return ofLock;
  if (/[\\/]\.git[\\/](?:.*[\\/])?config(?:\.worktree)?$/.test(path)) return ofGit;
  return undefined;
}

/** Fields of `package.json` that describe the package and decide nothing that is run. */
const describing = new Set(
  'name version description keywords author contributors maintainers license licenses homepage repository bugs funding files private publishConfig types typings typesVersions sideEffects man os cpu icon categories'.split(
    ' ',
  ),
);

const ofManifest = (text: string): string | undefined =>
  ofJson(text, (fields) =>
    Object.fromEntries(Object.entries(fields).filter(([key]) => !describing.has(key))),
  );

/** The lock file repeats the package's own name and version. */
const ofLock = (text: string): string | undefined =>
  ofJson(text, ({ name: _, version: __, packages, ...fields }) => {
    if (!isRecord(packages) || !isRecord(packages[''])) return { ...fields, packages };
    const { name: ___, version: ____, license: _____, ...own } = packages[''];
    return { ...fields, packages: { ...packages, '': own } };
  });

function ofJson(
  text: string,
  part: (fields: Readonly<Record<string, unknown>>) => unknown,
): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? `${JSON.stringify(part(value), null, 2)}\n` : undefined;
  } catch {
    return undefined;
  }
}

/** Settings that git itself writes when one works with branches, and that run nothing. */
const ofWork =
  /^(?:branch\..*\.(?:merge|remote|pushremote|rebase|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)|remote\..*\.(?:url|fetch|pushurl|gh-resolved)|user\..*|gc\.(?!recentobjectshook$).*|maintenance\..*|submodule\..*\.(?:active|url))$/s;

/** Lines that nobody can read in two ways: without quotes, backslashes and a second section. */
const plainLine =
  /^\s*(?:[#;][^\\]*|\[[\w.-]+(?: "[^"\\]*")?\]|[A-Za-z][\w-]*(?:\s*=[^"\\]*)?)?\s*$/;

function ofGit(text: string): string | undefined {
  if (!text.split('\n').every((line) => plainLine.test(line))) return undefined;
  return (
    gitSettings(text)
      // An address such as `ext::sh -c …` is a command.
      .filter(([key, value]) => !ofWork.test(key) || value.includes('::'))
      .map(([key, value]) => `${key}=${value}\n`)
      .join('')
  );
}
