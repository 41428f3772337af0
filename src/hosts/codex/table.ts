import { join } from 'node:path';
import { inGroups, type EntriesInstallation } from '../../core/dialects/installation.ts';
import { entryWriter, unanchored } from '../../core/dialects/writer.ts';
import { type HostRoom, usuallyApplies } from '../parts/host-dialect.ts';
import { userFolder, type HostPlace } from '../parts/host-places.ts';
import { toClaudeWord } from '../parts/matching.ts';
import { ourTools } from '../plain/tool-names.ts';
import { mergeAnswers, readAnswer } from './answer.ts';
import { codexNamesOf, readCall, reportCall, toCodexTool, toStdin } from './calls.ts';
import { codexDoubts } from './doubts.ts';
import { codexEvents } from './events.ts';
import { findHooks, format } from './find.ts';
import { matching } from './matcher.ts';
import { users } from './places.ts';
import { speaker } from './speak.ts';

/**
 * The Codex tools that its hooks receive (codex-rs/core/src/tools/spec_plan.rs), including those of
 * earlier versions. Hooks do not receive what is typed into a running shell, nor searches by the
 * model's provider.
 */
const allTools =
  'Bash apply_patch update_plan view_image get_goal create_goal update_goal request_user_input request_permissions list_available_plugins_to_install request_plugin_install tool_search spawn_agent send_input send_message followup_task resume_agent wait_agent close_agent interrupt_agent list_agents spawn_agents_on_csv report_agent_job_result list_mcp_resources list_mcp_resource_templates read_mcp_resource list_dir grep_files'.split(
    ' ',
  );

const isName = (name: string): boolean => /^\w+$/.test(name);

/** What Codex tells its hooks, what it obeys, and where they are (as measured). */
export const tableIn = (places: (cwd: string) => readonly HostPlace[]): HostRoom => ({
  find: (site) => findHooks(site, places(site.cwd)),
  // The same command listed twice runs twice.
  identity: ({ file, place }) => `${file} ${place}`,
  ...matching,
  applies: usuallyApplies(matching),
  toolNames: () => [...new Set([...allTools, ...ourTools.flatMap(codexNamesOf)])],
  environment: () => ({}),
  stdin: toStdin,
  read: readAnswer,
  merge: mergeAnswers,
  readCall,
  reportCall,
  speaker,
  installation,
  writer: {
    ...installation,
    toolName: toCodexTool,
    word: (_, ours) => toClaudeWord('SessionStart', ours),
    list: (names) => (names.every(isName) ? names.join('|') : unanchored.list(names)),
    either: unanchored.either,
    write: entryWriter(format.entry),
  },
});

const installation: EntriesInstallation = {
  kind: 'entries',
  programs: ['codex'],
  measured: '0.171.0',
  pluginFolder: (site) => join(userFolder(users, site), 'plugins/cache/hookmachine'),
  ownDoubts: codexDoubts,
  switches: ['hooks', 'codex_hooks'].map((key) => ({
    path: ['features', key],
    off: false,
    files: (site) => [
      join(userFolder(users, site), 'config.toml'),
      join(site.cwd, '.codex', 'config.toml'),
    ],
  })),
  fresh: '{\n  "hooks": {}\n}\n',
  isStrict: true,
  trustsByPlace: true,
  file: (scope, site) =>
    join(scope === 'user' ? userFolder(users, site) : join(site.cwd, '.codex'), 'hooks.json'),
  entries: (call) =>
    inGroups(codexEvents.shared, (event) => ({
      type: 'command',
      command: call(),
      timeout: speaker.timeoutAt(event) / 1_000,
    })),
  gateway: [
    {
      provider: 'openai',
      file: (site) => join(userFolder(users, site), 'config.toml'),
      at: 'openai_base_url',
      isQuoted: true,
    },
  ],
  after: (scope) => [
    'start codex, review the hooks with /hooks and trust them: Codex silently skips untrusted hooks',
    ...(scope === 'project'
      ? ['trust the project in Codex: it reads .codex only in trusted projects']
      : []),
  ],
};
