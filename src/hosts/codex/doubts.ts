import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { InstallSite, OwnDoubt, Scope } from '../../core/dialects/installation.ts';
import { fieldsOf } from '../../base/json.ts';
import { valueIn } from '../install/value-in.ts';
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
  const folder = scope === 'user' ? userFolder(users, site) : join(site.cwd, '.codex');
  const states = valueIn(config, ['hooks', 'state']);
  const doubts: OwnDoubt[] = [];
  if (scope === 'project' && valueIn(config, ['projects', site.cwd, 'trust_level']) !== 'trusted')
    doubts.push({
      code: 'folder-untrusted',
      file: config,
      message: `Codex does not trust ${site.cwd}, so it does not read the entries there`,
      fix: 'start codex there and trust the folder, or install the entries with --scope user',
    });
  for (const hook of entriesIn(join(folder, 'hooks.json'))) {
    const { enabled, trusted_hash: trusted } = fieldsOf(fieldsOf(states)[hook.key]);
    const fix = 'start codex, review the hooks with /hooks and trust them';
    const doubt = (code: OwnDoubt['code'], why: string): void =>
      void doubts.push({
        code,
        file: config,
        message: `Codex skips the hook for ${hook.event}: ${why}`,
        fix,
      });
    if (enabled === false) doubt('entry-switched-off', 'it is switched off there');
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
  const lists = fieldsOf(valueIn(file, ['hooks']));
  return codexEvents.shared.flatMap((event) =>
    listOf(lists[event]).flatMap((group, groupAt) =>
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
  Array.isArray(value) ? value.map(fieldsOf) : [];
