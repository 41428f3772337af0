import { existsSync, realpathSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isRecord } from '../../base/json.ts';
import { messageOf } from '../../base/message-of.ts';
import type { Host } from '../../core/dialects/dialect.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import { allEvents } from '../../core/points/hook-points.ts';
import { runsTypeScript } from '../../base/runs-typescript.ts';
import { typesStripped } from '../../handlers/typescript-loader.ts';
import { fileFault } from '../../settings/trust/safe-file.ts';
import { addHost, hosts } from '../all/hosts.ts';
import { knownDialects } from '../all/known.ts';
import { agentFolders, ignoredAgentFolders } from './folders.ts';

/** How long a module may take to load, in ms. */
const patience = 10_000;

/** The problems of the agents that were loaded into this process. */
export let agentProblems: readonly SettingsProblem[] = [];

/**
 * Loads the agents that are not ours and adds them to the lists, before anyone reads those. One that cannot be
 * loaded is a problem, and the others still count. `own` is the address of a module of this package.
 */
export async function loadAgents(own: string): Promise<void> {
  const folders = agentFolders();
  const problems = ignoredAgentFolders().map((folder) =>
    problem(
      folder,
      "does not count: this machine has an administrator's settings, and an agent's code runs together with the guards",
      'ask the administrator to put it into the folder "agents" beside those settings',
    ),
  );
  if (folders.length > 0) prepareImports(folders, own);
  for (const folder of folders) problems.push(...(await loadAgent(folder)));
  agentProblems = problems;
}

const problem = (file: string, message: string, fix: string): SettingsProblem => ({
  file,
  place: '',
  message,
  fix,
});

/**
 * Has modules in these folders import this package, wherever it is installed, and strips the types of those
 * in TypeScript where Node.js does not.
 */
function prepareImports(folders: readonly string[], own: string): void {
  const data = {
    folders: folders.map((folder) => `${pathToFileURL(realpathSync(folder)).href}/`),
    own,
  };
  register(`data:text/javascript,${encodeURIComponent(resolverSource)}`, { data });
  if (runsTypeScript() || !folders.some((folder) => indexOf(folder)?.endsWith('ts'))) return;
  const { loader, stripper } = typesStripped();
  register(loader, { data: stripper });
}

/** The hooks of Node's module loader, as the source of a module: they run in a thread of their own. */
const resolverSource = `
let folders, own;
export const initialize = (data) => ({ folders, own } = data);
export const resolve = (name, context, next) =>
  /^hookmachine(?:\\/|$)/.test(name) && folders.some((folder) => context.parentURL?.startsWith(folder))
    ? next(name, { ...context, parentURL: own })
    : next(name, context);
`;

const indexOf = (folder: string): string | undefined =>
  ['index.js', 'index.mjs', 'index.ts', 'index.mts']
    .map((name) => join(folder, name))
    .find(existsSync);

async function loadAgent(folder: string): Promise<readonly SettingsProblem[]> {
  const file = indexOf(folder);
  if (file === undefined)
    return [
      problem(folder, 'holds no agent', 'export the agent in an index.js, or remove the folder'),
    ];
  const fault = fileFault(file);
  if (fault) return [problem(file, `was not loaded: it ${fault.message}`, fault.fix)];
  try {
    const exported = Object.values(await inTime(import(pathToFileURL(file).href)));
    const agents = exported.filter(isRecord).filter((one) => 'readCall' in one || 'speak' in one);
    if (agents.length === 0)
      return [
        problem(file, 'exports no agent', 'export what "tableDialect" or "tableHost" returns'),
      ];
    return agents.flatMap((agent) => {
      const [message, fix] = faultIn(agent) ?? [];
      if (message !== undefined) return [problem(file, message, fix!)];
      addHost(agent as unknown as Host);
      return [];
    });
  } catch (error) {
    return [
      problem(file, `could not be loaded: ${messageOf(error)}`, `fix it, or remove ${folder}`),
    ];
  }
}

async function inTime(module: Promise<object>): Promise<object> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not in ${patience / 1_000} s`)), patience);
  });
  return Promise.race([module, late]).finally(() => clearTimeout(timer));
}

/** What keeps an agent from being used, and the fix; undefined if nothing does. */
function faultIn(agent: Readonly<Record<string, unknown>>): readonly [string, string] | undefined {
  const { name, events } = agent;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(name))
    return ['its agent has no name', 'give it a "name" of small letters, such as "otter"'];
  if ([...hosts, ...knownDialects].some((known) => [known.name, known.family].includes(name)))
    return [`there is an agent "${name}" already, so this one was ignored`, 'give it another name'];
  const missing = ['readCall', 'reportCall', 'speak', 'install'].find(
    (part) => typeof agent[part] !== 'function',
  );
  if (missing !== undefined)
    return [`"${name}" has no "${missing}"`, 'make it with "tableDialect" or "tableHost"'];
  const event = Object.entries(isRecord(events) ? events : {}).find(([, at]) => !isEvent(at));
  return (
    event && [
      `"${name}": ${event[0]} is not one of our events`,
      `use one of ${allEvents.join(', ')}`,
    ]
  );
}

const isEvent = (at: unknown): boolean =>
  typeof at === 'string' && (at.startsWith('host.') || allEvents.some((event) => event === at));

/** Says in which file an agent was not loaded. */
export const agentLine = ({ file, message, fix }: SettingsProblem): string =>
  `${file}: ${message}; ${fix}`;
