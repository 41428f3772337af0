import { readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { isRecord } from '../../base/json.ts';
import { currentFolder } from '../../base/surroundings.ts';
import { hookPoints, type HookEventName } from '../../core/points/hook-points.ts';
import type { Effect, RunEffect } from '../../shell/reading/effects.ts';
import { isSecret, shown } from '../../shell/reading/marks.ts';
import { isLocal } from '../../shell/reading/network.ts';
import { absolute } from '../../shell/reading/paths.ts';
import { disk } from '../../shell/reading/disk.ts';
import { entriesOf, dayOf } from '../budget/ledger.ts';
import { tokensOf } from '../budget/usage.ts';
import { labelsOf } from '../flow/labels.ts';
import { addressesIn, addressesOf, hostIn } from '../reading/addresses.ts';
import { effectsOf, projectOf, worksHere } from '../reading/call-effects.ts';
import { isSecretPath } from '../rules/secret-files.ts';
import { readToolCall, serverOf } from '../reading/tool-call.ts';
import type { EntityName, PolicyEntity, PolicyRequest, PolicyValue } from './engine.ts';
import { jsonOf, policyTags, policyValue, wellFormed } from './policy-values.ts';

/** An event as a hook of policies receives it. */
export type PolicyEvent = Readonly<Record<string, unknown>>;

const pointIds: ReadonlyMap<string, string> = new Map(
  Object.entries(hookPoints).map(([id, { event }]) => [event, id]),
);

/** What an event is asked about. */
interface Subject {
  readonly action: string;
  readonly resource: PolicyEntity;
  /** What the resource is in, and so on. */
  readonly around?: readonly PolicyEntity[];
  readonly about: string;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns what an event comes to: a tool call is asked about as a whole, and for each thing that it would do. */
export function policyRequests(event: PolicyEvent): PolicyRequest[] {
  const name = textOf(event['hook_event_name']) as HookEventName;
  const session = textOf(event['session_id']);
  const user = userName();
  const agent = textOf(event['agent']) || 'agent';
  const subagent = textOf(event['agent_type']);
  const principal = { type: 'Agent', id: agent };
  const acting: PolicyEntity[] = [
    {
      uid: principal,
      attrs: { name: agent, user, session, ...(subagent !== '' && { subagent }) },
      parents: [{ type: 'User', id: user }],
    },
    entity('User', user, {}),
  ];
  const context = contextOf(event, name, session);
  const requests = subjectsOf(event, name, session).map(
    ({ action, resource, around = [], about }) => ({
      principal,
      action: actionNamed(action),
      resource: resource.uid,
      context,
      entities: [...acting, actionEntity(action), resource, ...around],
      about: about.slice(0, 200),
    }),
  );
  return requests.map(wellFormed);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return String(process.getuid?.() ?? 'unknown');
  }
}

const entity = (
  type: string,
  id: string,
  attrs: Readonly<Record<string, PolicyValue>>,
  parents: readonly EntityName[] = [],
): PolicyEntity => ({ uid: { type, id }, attrs, parents });

const actionNamed = (id: string): EntityName => ({ type: 'Action', id });

/** The actions that are not about what a call would do. */
const others = new Set(['prompt', 'call_model', 'event']);

/** An action is in a group, so that a policy can be about all that a call would do. */
const actionEntity = (id: string): PolicyEntity => ({
  uid: actionNamed(id),
  attrs: {},
  parents: [
    actionNamed(others.has(id) ? 'other' : id === 'tool_result' ? 'tool.after' : 'tool.before'),
  ],
});

const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

function contextOf(
  event: PolicyEvent,
  name: HookEventName,
  session: string,
): Readonly<Record<string, PolicyValue>> {
  const now = new Date();
  const tool = textOf(event['tool_name']);
  const mode = textOf(event['permission_mode']);
  const used = entriesOf(dayOf(now)).filter((entry) => entry.session === session);
  const given = Array.isArray(event['labels']) ? event['labels'].map(String) : [];
  return {
    point: pointIds.get(name) ?? name,
    event: name,
    ...(tool !== '' && { tool }),
    labels: [...new Set([...labelsOf(session), ...given])],
    ...(mode !== '' && { mode }),
    now: now.toISOString(),
    hour: now.getHours(),
    weekday: weekdays[now.getDay()]!,
    tokens: used.reduce((sum, entry) => sum + tokensOf(entry), 0),
    ...(isRecord(event['tool_input']) && { input: policyValue(event['tool_input']) ?? {} }),
  };
}

function subjectsOf(event: PolicyEvent, name: HookEventName, session: string): Subject[] {
  switch (name) {
    case 'BeforeTool':
    case 'ToolPermission':
      return callSubjects(event);
    case 'AfterTool':
    case 'ToolFailed':
      return [{ ...toolSubject(event), action: 'tool_result' }];
    case 'BeforeAgent': {
      const prompt = textOf(event['prompt']);
      return [
        { action: 'prompt', resource: entity('Prompt', 'prompt', { text: prompt }), about: '' },
      ];
    }
    case 'BeforeModel':
    case 'AfterModel':
    case 'BeforeToolSelection': {
      const request = isRecord(event['llm_request']) ? event['llm_request'] : {};
      const model = textOf(request['model']);
      return [
        { action: 'call_model', resource: entity('Model', model, { name: model }), about: model },
      ];
    }
    default:
      return [
        { action: 'event', resource: entity('Session', session, { id: session }), about: '' },
      ];
  }
}

function toolSubject(event: PolicyEvent): Subject {
  const name = textOf(event['tool_name']);
  const input = isRecord(event['tool_input']) ? event['tool_input'] : {};
  const server = serverOf(name);
  const resource = {
    ...entity(
      'Tool',
      name,
      { name, ...(server !== undefined && { server }), arguments: jsonOf(input) },
      server === undefined ? [] : [{ type: 'Server', id: server }],
    ),
    tags: policyTags(input),
  };
  return { action: 'call_tool', resource, about: name };
}

function callSubjects(event: PolicyEvent): Subject[] {
  const tool = toolSubject(event);
  const input = isRecord(event['tool_input']) ? event['tool_input'] : {};
  const cwd = textOf(event['cwd']) || currentFolder();
  const effects = effectsOf(readToolCall(textOf(event['tool_name']), input), { cwd });
  const project = projectOf(cwd);
  const found = effects.flatMap((effect) => subjectsIn(effect, project));
  const addresses = worksHere(effects)
    ? []
    : addressesIn(tool.about, input).filter((to) => !isLocal(to));
  return [tool, ...found, ...addresses.map((to) => addressOf(to, to, false, tool.about))];
}

function subjectsIn(effect: Effect, project: string): Subject[] {
  const { where } = effect;
  const about = shown(effect.by);
  switch (effect.kind) {
    case 'run':
      return [
        runSubject(effect),
        ...filesNamedBy(effect, project),
        ...addressesOf(effect).map((to) => addressOf(to, '', false, about)),
      ];
    case 'file':
      return [
        fileSubject(
          { delete: 'delete', read: 'read' }[effect.action as 'delete'] ?? 'write',
          effect.path,
          project,
          { about, where, isTree: effect.isTree },
        ),
      ];
    case 'send':
      return addressesOf(effect).map((to) =>
        addressOf(to, effect.text, isSecret(effect.text), about),
      );
    case 'code':
    case 'lost': {
      const text = shown(effect.kind === 'code' ? effect.text : effect.by);
      const language = effect.kind === 'code' ? effect.language : 'unknown';
      return [
        { action: 'run_code', resource: entity('Code', text, { language, text, where }), about },
      ];
    }
    case 'query': {
      const { language, program } = effect;
      const text = shown(effect.text);
      return [{ action: 'query', resource: entity('Database', program, { language, program, text }), about }]; // prettier-ignore
    }
    case 'print':
      return [];
  }
}

function runSubject({ name, args, by, cwd, where }: RunEffect): Subject {
  const text = shown(by);
  const attrs = {
    program: shown(name),
    arguments: args.map(shown),
    text,
    folder: shown(cwd),
    where,
  };
  return { action: 'run', resource: entity('Command', text, attrs), about: text };
}

/** How many arguments of a command are looked at. */
const mostArguments = 1_000;

/** A program may read every file that it is given. */
const filesNamedBy = ({ args, by, cwd, where }: RunEffect, project: string): Subject[] =>
  args.slice(0, mostArguments).flatMap((text) => {
    const path = absolute(text.replace(/^@/, ''), cwd);
    return where === 'here' && !text.startsWith('-') && disk.real(path) !== undefined
      ? [fileSubject('read', path, project, { about: shown(by), where })]
      : [];
  });

interface FileUse {
  readonly about: string;
  readonly where: string;
  /** Whether it is about everything below, too. */
  readonly isTree?: boolean;
}

/** Returns the name that policies have for a path. */
function nameIn(project: string, path: string, where: string) {
  const inside = relative(project, path);
  const inProject = inside !== '..' && !inside.startsWith('../') && where === 'here';
  return { path: shown(inProject ? inside || '.' : path), inProject };
}

/** How many folders below another one are looked at, those at the top first. */
const mostFolders = 500;

function foldersBelow(top: string): string[] {
  const found: string[] = [];
  const left = [top];
  for (let folder = left.shift(); folder !== undefined; folder = left.shift()) {
    const inside = foldersIn(folder).slice(0, mostFolders - found.length);
    found.push(...inside);
    left.push(...inside.filter((path) => !/\/(?:\.git|node_modules)$/.test(path)));
    if (found.length >= mostFolders) break;
  }
  return found;
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name));
  } catch {
    // It is a file, or is not there.
    return [];
  }
}

function fileSubject(
  action: string,
  absolutePath: string,
  project: string,
  { about, where, isTree = false }: FileUse,
): Subject {
  const { path, inProject } = nameIn(project, absolutePath, where);
  // Whatever happens to a folder happens to all folders in it.
  const below = isTree && where === 'here' ? foldersBelow(absolutePath) : [];
  const within = below.map((one) => ({ type: 'Folder', id: nameIn(project, one, where).path }));
  const folders: PolicyEntity[] = [];
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    const above = dirname(at);
    const parents = above === dirname(above) ? [] : [{ type: 'Folder', id: dirname(above) }];
    folders.push(entity('Folder', above, { path: above }, parents));
  }
  const isSecretFile = where === 'here' && isSecretPath(absolutePath, disk);
  const attrs = { path, name: basename(path), inProject, isSecret: isSecretFile, where };
  return {
    action,
    // A rule about a folder is about the folder itself, too.
    resource: entity('File', path, attrs, [...(folders.length > 0 ? [folders[0]!.uid] : []), { type: 'Folder', id: path }, ...within]), // prettier-ignore
    around: [...folders, entity('Folder', path, { path })],
    about,
  };
}

function addressOf(to: string, text: string, sendsSecret: boolean, about: string): Subject {
  const address = shown(to);
  const host = hostIn(address.split(' ')[0]!).toLowerCase() || '<unknown>';
  return {
    action: 'send',
    resource: entity('Address', host, { host, text: shown(text), sendsSecret }),
    about,
  };
}
