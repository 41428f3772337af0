import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder } from '../../settings/files/levels.ts';
import { settingsAtFirstSight } from '../../settings/files/read-files.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { hookmachine } from '../hookmachine/index.ts';
import { kodelet } from '../kodelet/index.ts';
import { llxprt } from '../llxprt/index.ts';

/** The dialects whose hooks run unless the host says otherwise. */
export const defaultDialects: readonly Dialect[] = [llxprt, hookmachine, kodelet];

/** By family, what holds hooks in a project or a home: settings, and files or folders that lead to more. */
const hostFiles: Readonly<
  Record<string, { readonly settings: readonly string[]; readonly others: readonly string[] }>
> = {
  'claude-code': {
    settings: ['.claude/settings.json', '.claude/settings.local.json'],
    others: ['.claude/plugins/installed_plugins.json'],
  },
  codex: { settings: ['.codex/hooks.json'], others: ['.codex/config.toml'] },
  copilot: {
    settings: [
      '.github/copilot/settings.json',
      '.github/copilot/settings.local.json',
      '.copilot/settings.json',
    ],
    others: ['.github/hooks', '.copilot/hooks', '.copilot/installed-plugins'],
  },
  cursor: { settings: ['.cursor/hooks.json'], others: [] },
  'gemini-cli': { settings: ['.gemini/settings.json'], others: ['.gemini/extensions'] },
  'qwen-code': { settings: ['.qwen/settings.json'], others: ['.qwen/extensions'] },
  factory: {
    settings: ['.factory/settings.json', '.factory/settings.local.json'],
    others: ['.factory/hooks.json'],
  },
  kimi: { settings: [], others: ['.kimi-code/config.toml'] },
  cline: {
    settings: [],
    others: ['.clinerules/hooks', '.cline/hooks', 'Documents/Cline/Hooks'],
  },
  crush: { settings: ['crush.json', '.crush.json', '.config/crush/crush.json'], others: [] },
  goose: { settings: [], others: ['.agents/plugins'] },
  openhands: { settings: [], others: ['.openhands/hooks.json'] },
  antigravity: { settings: [], others: ['.agents/hooks.json', '.gemini/config/hooks.json'] },
};

type Family = Pick<Dialect, 'family' | 'mayBeIn'>;

const known: Family[] = [
  ...defaultDialects,
  ...Object.entries(hostFiles).map(([family, { settings, others }]) => ({
    family,
    mayBeIn: (cwd: string) =>
      [cwd, homeFolder()]
        .filter((folder) => folder !== undefined)
        .some(
          (folder) =>
            settings.some((file) => mayHold(join(folder, file))) ||
            others.some((file) => existsSync(join(folder, file))),
        ),
  })),
];

/** Whether hooks of a family may be present, known without loading the dialects that are not in use. */
export const families: readonly Family[] = known;

/** Adds the family of an agent that is not one of ours. */
export function addFamily(family: Family): void {
  known.push(family);
}

function mayHold(file: string): boolean {
  const sight = settingsAtFirstSight(file);
  return 'fault' in sight || sight.hasHooks;
}
