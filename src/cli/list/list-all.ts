import { isFolder } from '../../base/folders.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { hosts } from '../../hosts/all/hosts.ts';
import { ownCalls } from '../../hosts/install/relay-call.ts';
import { homeFolder, realPath, trustFile } from '../../settings/files/levels.ts';
import { isFault, readTrustFile } from '../../settings/trust/read-trust.ts';
import { lookAtEntries } from '../../workbench/doctor/look-at-entries.ts';
import { lookAtHooks } from '../../workbench/parts/look-at-hooks.ts';

/** A hook in the file of any agent, whoever wrote it. */
export interface FoundHook {
  /** Undefined for a hook that a dialect defines without a file. */
  readonly file: string | undefined;
  /** The dialect of the file. */
  readonly dialect: string;
  /** As the file names it. */
  readonly event: string;
  readonly matcher?: string;
  readonly type: string;
  readonly command: string;
  /** It calls our relay, which runs the hooks of all other files. */
  readonly isRelay?: true;
  /** Why it does not run, if it does not. */
  readonly off?: string;
}

/**
 * Returns every hook of every agent that can be found: for all projects of the user, in this project, and in
 * those that the user trusts. None of them is started.
 */
export async function findEverywhere(
  folder: string,
  dialects: readonly Dialect[],
): Promise<readonly FoundHook[]> {
  const found = new Map<string, FoundHook>();
  const add = (hook: FoundHook, place = ''): void => {
    const { file, event, command } = hook;
    found.set(JSON.stringify([file, place, event, command]), hook);
  };
  for (const project of [realPath(folder), ...trustedProjects()]) {
    const { hooks, registry } = await lookAtHooks(project, dialects);
    for (const hook of hooks) {
      const matcher = registry.matcherOf(hook);
      const off = whyOff(hook);
      const { file, dialect, event, nativeEvent, type, command, place } = hook;
      add(
        {
          file,
          dialect,
          event: nativeEvent ?? event,
          ...(matcher !== undefined && { matcher }),
          type,
          command,
          ...(off !== undefined && { off }),
        },
        place,
      );
    }
    const site = { cwd: project, home: homeFolder() ?? '', env: process.env };
    const callFor = ownCalls(site, process.argv[1] ?? '');
    for (const host of hosts) {
      const { scopes } = await lookAtEntries(host, { ...site, callFor });
      for (const { files, commands } of scopes)
        for (const { event = '', command } of commands)
          add({
            file: files[0],
            dialect: host.name,
            event,
            type: 'command',
            command,
            isRelay: true,
          });
    }
  }
  return [...found.values()].toSorted((one, other) =>
    (one.file ?? '') < (other.file ?? '') ? -1 : (one.file ?? '') > (other.file ?? '') ? 1 : 0,
  );
}

function trustedProjects(): readonly string[] {
  const file = trustFile();
  const projects = file === undefined ? undefined : readTrustFile(file);
  return projects === undefined || isFault(projects) ? [] : [...projects.keys()].filter(isFolder);
}

function whyOff({
  enabled,
  switchedOff,
  untrusted,
  isHidden,
  type,
}: Awaited<ReturnType<typeof lookAtHooks>>['hooks'][number]): string | undefined {
  if (untrusted) return 'not trusted';
  if (!enabled) return 'disabled';
  if (switchedOff) return 'switched off';
  if (isHidden) return 'a duplicate takes precedence';
  return type === 'plugin' ? 'a plugin: only its own agent runs it' : undefined;
}

/** Describes hooks by file, one line each. */
export function describeEverywhere(found: readonly FoundHook[]): string[] {
  const lines: string[] = [];
  for (const file of new Set(found.map((one) => one.file))) {
    lines.push(file ?? '(no file)');
    for (const { event, matcher = '', type, command, isRelay, off } of found.filter(
      (one) => one.file === file,
    ))
      lines.push(
        `  ${event.padEnd(20)} ${matcher.padEnd(12)} ${isRelay ? 'calls hookmachine: ' : `${type} `}${command}${off === undefined ? '' : ` (${off})`}`,
      );
    lines.push('');
  }
  return lines.length === 0 ? ['No agent has any hook here.'] : lines;
}
