import { hash } from 'node:crypto';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import type { InstallSite, OwnDoubt, Scope } from '../../core/dialects/installation.ts';
import { isRecord } from '../../base/json.ts';
import { parseJson } from '../../settings/files/parse-json.ts';
import { textIn } from '../../settings/files/read-bounded.ts';
import { userFolder } from '../parts/host-places.ts';
import { relayInCommand } from '../parts/relay-entry.ts';
import { codexEvents } from './events.ts';
import { users } from './places.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What Codex keeps in the user's `config.toml` about entries of ours: it runs only hooks whose definition the
 * user trusted, by their file and place in it, and says nothing about the others.
 */
export function codexDoubts(scope: Scope, site: InstallSite): readonly OwnDoubt[] {
  const config = join(userFolder(users, site), 'config.toml');
  const known = tableIn(config);
  const folder = scope === 'user' ? userFolder(users, site) : join(site.cwd, '.codex');
  const states = at(known, 'hooks', 'state');
  const doubts: OwnDoubt[] = [];
  if (scope === 'project' && at(known, 'projects', site.cwd, 'trust_level') !== 'trusted')
    doubts.push({
      code: 'folder-untrusted',
      file: config,
      message: `Codex does not trust ${site.cwd}, so it does not read the entries there`,
      fix: 'start codex there and trust the folder, or install the entries with --scope user',
    });
  for (const hook of entriesIn(join(folder, 'hooks.json'))) {
    const state = isRecord(states) ? states[hook.key] : undefined;
    const trusted = isRecord(state) ? state['trusted_hash'] : undefined;
    const fix = 'start codex, review the hooks with /hooks and trust them';
    const doubt = (code: OwnDoubt['code'], why: string): void =>
      void doubts.push({
        code,
        file: config,
        message: `Codex skips the hook for ${hook.event}: ${why}`,
        fix,
      });
    if (isRecord(state) && state['enabled'] === false)
      doubt('entry-switched-off', 'it is switched off there');
    else if (trusted === undefined) doubt('entry-untrusted', 'nobody has trusted it');
    else if (trusted !== hook.hash)
      doubt('entry-changed', 'it, or its place, has changed since it was trusted');
  }
  // They are trusted together.
  const told = new Set<string>();
  return doubts.filter(({ code }) => !told.has(code) && told.add(code));
}

interface CodexEntry {
  readonly event: string;
  /** What Codex keeps about it is under this key. */
  readonly key: string;
  readonly hash: string;
}

/** The entries of ours in a file. */
function entriesIn(file: string): CodexEntry[] {
  const parsed = parseJson(textIn(file) ?? '');
  const lists = at('value' in parsed ? parsed.value : undefined, 'hooks');
  return codexEvents.shared.flatMap((event) =>
    listOf(at(lists, event)).flatMap((group, groupAt) =>
      listOf(group['hooks']).flatMap((hook, hookAt): CodexEntry[] => {
        const { command } = hook;
        if (typeof command !== 'string' || relayInCommand(command) === undefined) return [];
        const name = event.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase();
        const key = `${file}:${name}:${groupAt}:${hookAt}`;
        return [{ event, key, hash: `sha256:${hash('sha256', definitionOf(name, group, hook))}` }];
      }),
    ),
  );
}

/** What Codex hashes: JSON without blanks, its keys in order. */
function definitionOf(event: string, { matcher }: Fields, { command, timeout }: Fields): string {
  return JSON.stringify({
    event_name: event,
    hooks: [{ async: false, command, timeout: timeout ?? 600, type: 'command' }],
    ...(typeof matcher === 'string' && { matcher }),
  });
}

const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map((one: unknown) => (isRecord(one) ? one : {})) : [];

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);

function tableIn(file: string): unknown {
  try {
    return parse(textIn(file) ?? '');
  } catch {
    // Codex does not read it either, and says so.
    return undefined;
  }
}
