import { dirname, join } from 'node:path';
import type { EntriesInstallation } from '../../core/dialects/installation.ts';
import { entryWriter, escaped } from '../../core/dialects/writer.ts';
import { type HostRoom, usuallyApplies } from '../parts/host-dialect.ts';
import { userFolder, type HostPlace } from '../parts/host-places.ts';
import { ourTools } from '../plain/tool-names.ts';
import { readAnswer } from './answer.ts';
import { readCall, reportCall, toStdin } from './calls.ts';
import { copilotEventOf, copilotPoints } from './events.ts';
import { findHooks, format } from './find.ts';
import { matching } from './matcher.ts';
import { projectSettings, users } from './places.ts';
import { speaker } from './speak.ts';
import { pascalToolNames, toCopilotTool } from './tools.ts';

/** Copilot's tools. */
const allTools =
  'bash read_bash write_bash stop_bash list_bash powershell read_powershell write_powershell stop_powershell list_powershell view create edit str_replace_editor apply_patch glob grep rg task read_agent write_agent list_agents web_fetch web_search update_todo ask_user report_intent store_memory skill sql session_store_sql task_complete exit_plan_mode fetch_copilot_cli_documentation'.split(
    ' ',
  );

/** What Copilot tells its hooks, what it obeys, and where they are (as measured). */
export const tableIn = (places: (cwd: string) => readonly HostPlace[]): HostRoom => ({
  find: (site) => findHooks(site, places(site.cwd)),
  // Every entry runs, even one that equals another.
  identity: ({ file, place }) => JSON.stringify([file, place]),
  ...matching,
  applies: usuallyApplies(matching),
  toolNames(hook) {
    const all = [...allTools, ...ourTools.map(toCopilotTool)];
    return [...new Set(copilotEventOf(hook).isPascal ? [...pascalToolNames, ...all] : all)];
  },
  mode: () => 'sequential',
  environment: ({ file }, { cwd }) => ({
    COPILOT_CLI: '1',
    COPILOT_PROJECT_DIR: cwd,
    CLAUDE_PROJECT_DIR: cwd,
    ...(file !== undefined && { COPILOT_HOOK_DIR: dirname(file) }),
  }),
  stdin: toStdin,
  read: readAnswer,
  readCall,
  reportCall,
  speaker,
  installation,
  writer: {
    ...installation,
    toolName: toCopilotTool,
    // Its regular expressions match whole names.
    list: (names) => names.map(escaped).join('|'),
    either: (names, pattern) => `${names.map(escaped).join('|')}|.*(?:${pattern}).*`,
    write: entryWriter(format.entry),
  },
});

const events = Object.entries(copilotPoints)
  .filter(([name, { at }]) => !at.startsWith('host.') && name !== 'postToolUseFailure')
  .map(([name]) => name);

const secondsAt = (event: string): number => speaker.timeoutAt(event) / 1_000;

/** In a file of our own in Copilot's folder of hooks. */
const installation: EntriesInstallation = {
  kind: 'entries',
  programs: ['copilot'],
  measured: '1.0.102',
  pluginFolder: (site) => join(userFolder(users, site), 'installed-plugins/hookmachine'),
  switches: [
    {
      path: ['disableAllHooks'],
      off: true,
      files: (site) => [
        join(userFolder(users, site), 'settings.json'),
        ...projectSettings(site.cwd),
      ],
    },
  ],
  fresh: '{\n  "version": 1,\n  "hooks": {}\n}\n',
  file: (scope, site) =>
    join(
      scope === 'user' ? userFolder(users, site) : join(site.cwd, '.github'),
      'hooks',
      'hookmachine.json',
    ),
  entries: (call) =>
    events.map((event) => ({
      event,
      // The command names the event, because its input does not.
      entry: { type: 'command', bash: call(event), timeoutSec: secondsAt(event) },
    })),
  overHttp: {
    failsOpen: 'where COPILOT_HOOK_ALLOW_LOCALHOST=1 is not set',
    entries: (request) =>
      events.map((event) => ({
        event,
        entry: { type: 'http', ...request(event), timeoutSec: secondsAt(event) },
      })),
    after: [
      'set COPILOT_HOOK_ALLOW_LOCALHOST=1 where Copilot runs: without it, Copilot ignores pre-tool hooks that do not post to https://',
    ],
  },
  after: (scope) =>
    scope === 'project'
      ? ['trust the folder in Copilot: it runs repository hooks only in trusted folders']
      : [],
};
