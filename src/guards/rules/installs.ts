import type { RunEffect } from '../../shell/reading/effects.ts';
import { shown } from '../../shell/reading/marks.ts';
import { CommandLine } from '../../shell/reading/options.ts';
import { lookalikeOf } from './lookalikes.ts';

const shape = {
  valued: 'wrCceFti',
  longValued:
    'prefix workspace filter index-url extra-index-url registry requirement target constraint python find-links cache omit save-prefix tag group extra source version git path root features branch rev'.split(
      ' ',
    ),
};

/** The registries that everybody uses, by their names. */
const wellKnown =
  /^https?:\/\/(?:(?:[\w-]+\.)*(?:pypi|npmjs|yarnpkg|rubygems|pytorch|npmmirror|nvidia)\.(?:org|com|io)|npm\.pkg\.github\.com|localhost|127\.|\[::1\])/;

const address = /^(?:https?|git|git\+\w+|ssh|ftp|github|gitlab|bitbucket|gist):|^[\w.-]+@[\w.-]+:/;

/** Speaks about packages from addresses, from other registries, and with a name that is taken for another. */
export function installOf({
  name,
  args,
}: RunEffect):
  | readonly [rule: 'shell/install-address' | 'shell/install-lookalike', does: string]
  | undefined {
  const line = new CommandLine(args, shape);
  const isNested = /^(?:pip|global|tool)$/.test(line.operands[0] ?? '');
  const [command = '', ...packages] = isNested ? line.operands.slice(1) : line.operands;
  const starts = /^(?:npx|bunx|pnpx)$/.test(name);
  if (!starts && !/^(?:install|i|add|dlx|exec|x|in|ins)$/.test(command)) return undefined;
  const registry = line.value('index-url', 'extra-index-url', 'registry', 'source', 'i');
  if (registry !== undefined && /^https?:/.test(registry) && !wellKnown.test(registry))
    return ['shell/install-address', `installs from ${shown(registry)}`];
  const named = [...(starts ? [command] : packages), ...line.all('git')];
  const plain = named.map((one) => one.replace(/^[\w.-]+\s*@\s*(?=\w+:)/, ''));
  const found = plain.find((one) => address.test(one));
  if (found !== undefined)
    return ['shell/install-address', `installs ${shown(found)}, which no registry knows`];
  const kind = /pip|uv|poetry|python/.test(name) ? 'python' : 'npm';
  for (const one of named) {
    const known = lookalikeOf(one, kind);
    if (known !== undefined)
      return ['shell/install-lookalike', `installs ${shown(one)}, which is not ${known}`];
  }
  return undefined;
}
