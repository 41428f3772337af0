import { isAbsolute, join } from 'node:path';
import { knownDialects } from '../all/known.ts';
import { settingsPlaces, stateFolder, trustFile } from '../../settings/files/levels.ts';
import { environment } from '../../base/surroundings.ts';

/*
 * Where guards are stored: an agent that changes files there changes what it is prevented from doing.
 *
 * A place is a path with forward slashes below a project's folder, a home folder, or any folder in between. A
 * place that ends with a slash is a folder with everything in it, and `*` matches part of a name.
 */

/** Places of hosts that have no dialect here yet. */
const ofHosts: readonly string[] = [
  '.claude/settings.json',
  '.claude/settings.*.json',
  '.claude/hooks/',
  '.claude/plugins/',
  '.claude.json',
  '.codex/config.toml',
  '.codex/*.config.toml',
  '.codex/hooks.json',
  '.codex/hooks/',
  '.codex/requirements.toml',
  '.codex/managed_config.toml',
  '.codex/plugins/',
  '.cursor/hooks.json',
  '.cursor/hooks/',
  '.cursor/cli*.json',
  '.opencode/plugin/',
  '.opencode/plugins/',
  '.opencode/opencode.json*',
  'opencode.json',
  'opencode.jsonc',
  '.config/opencode/',
  '.kilo/plugin/',
  '.kilo/plugins/',
  '.kilo/kilo.json*',
  '.kilocode/plugin/',
  '.kilocode/plugins/',
  'kilo.json',
  'kilo.jsonc',
  '.config/kilo/',
  '.openclaw/extensions/',
  '.openclaw/openclaw.json*',
  '.pi/extensions/',
  '.pi/settings.json',
  '.pi/agent/extensions/',
  '.pi/agent/settings.json',
];

/** All places below a project or a home folder. */
export const guardedPlaces: readonly string[] = [
  ...new Set([...knownDialects.flatMap(({ guarded = [] }) => guarded), ...ofHosts]),
];

/**
 * Folders of administrators, and the files and folders that environment variables name instead of the
 * administrators' or the user's.
 */
export function absolutePlaces(): string[] {
  const named = [
    'CODEX_HOME',
    'CLAUDE_CONFIG_DIR',
    'COPILOT_HOME',
    'KIMI_CODE_HOME',
    'PI_CODING_AGENT_DIR',
    'OPENCLAW_STATE_DIR',
  ].flatMap((name) => (environment()[name] ? [`${environment()[name]}/`] : []));
  const files = [
    'LLXPRT_SYSTEM_SETTINGS_PATH',
    'LLXPRT_CODE_SYSTEM_SETTINGS_PATH',
    'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
    'QWEN_CODE_SYSTEM_SETTINGS_PATH',
  ].flatMap((name) => environment()[name] || []);
  const trust = trustFile();
  // What is known about sessions, and the socket of the warm process, which answers for all guards.
  const state = stateFolder('.');
  const runtime = environment()['XDG_RUNTIME_DIR'];
  return [
    ...(state === undefined ? [] : [`${state}/`]),
    ...(runtime !== undefined && isAbsolute(runtime) ? [join(runtime, 'hookmachine/')] : []),
    ...ofAdministrators,
    ...named,
    ...files,
    ...settingsPlaces('/')
      .filter(({ source }) => source === 'system')
      .map(({ file }) => file),
    ...(trust === undefined ? [] : [trust]),
  ];
}

const ofAdministrators: readonly string[] = [
  'hookmachine',
  'llxprt-code',
  'gemini-cli',
  'qwen-code',
  'claude-code',
  'codex',
  'cursor',
  'github-copilot',
]
  .map((name) => `/etc/${name}/`)
  .concat(
    ['LLxprt-Code', 'GeminiCli', 'QwenCode', 'ClaudeCode', 'Codex', 'Cursor', 'hookmachine'].map(
      (name) => `/Library/Application Support/${name}/`,
    ),
  );
