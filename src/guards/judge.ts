import { isAbsolute, join } from 'node:path';
import picomatch from 'picomatch';
import type { GuardException, GuardSettings } from '../settings/files/read-guards.ts';
import { onDemand } from '../base/on-demand.ts';
import { homeFolder } from '../settings/files/levels.ts';
import { topOf } from './repository-top.ts';
import { allChecks, guardOf, ruleOf } from './rules/all.ts';
import type {
  Finding,
  GuardName,
  RepositoryState,
  Rule,
  RuleAnswer,
  RuleContext,
  StateQuestion,
} from './rules/rule.ts';
import { isSecretPath } from './rules/secret-files.ts';
import { disk } from '../shell/reading/disk.ts';
import type { Effect } from '../shell/reading/effects.ts';
import { secretMark, shown } from '../shell/reading/marks.ts';
import { absolute } from '../shell/reading/paths.ts';
import { readCommand, readProgram } from '../shell/reading/reader.ts';
import type { Surroundings } from '../shell/reading/state.ts';
import type { ToolCall } from './tool-call.ts';
import { environment } from '../base/surroundings.ts';

const loadRepositoryState = onDemand(() => import('./repository-state.ts'));

/** Where a call would run. */
export interface CallPlace {
  readonly cwd: string;
  /** Whether hooks or their settings are at a path; default: nowhere. */
  readonly isGuarded?: ((path: string, isTree: boolean) => boolean) | undefined;
  /** The environment; default: this process's. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** The home folder; default: the user's. */
  readonly home?: string;
}

/** A finding with what its rule says. */
export interface RuledFinding extends Finding {
  readonly guard: GuardName;
  readonly answer: RuleAnswer;
  readonly about: Rule;
  /** The exception that lets it through. */
  readonly allowedBy?: GuardException;
}

/** Works out what a call would do, without running anything. */
export function effectsOf(call: ToolCall, place: CallPlace): readonly Effect[] {
  const around = surroundingsOf(place, call.folder);
  return [
    ...call.commands.flatMap((command) => readCommand(command, around).effects),
    ...call.programs.flatMap((words) => readProgram(words, around).effects),
    ...call.files.flatMap(({ action, path }): Effect[] => {
      const effect: Effect = {
        kind: 'file',
        action,
        path: absolute(path.replace(/^~(?=\/|$)/, around.home), around.cwd),
        isTree: action === 'delete' || action === 'move',
        by: `${action} ${path}`,
        where: 'here',
      };
      const isSecret = action === 'read' && around.isSecretFile(effect.path);
      return isSecret
        ? [effect, { kind: 'print', text: secretMark, by: effect.by, where: 'here' }]
        : [effect];
    }),
  ];
}

function surroundingsOf(
  { cwd, variables = environment(), home = homeFolder() ?? '/nonexistent' }: CallPlace,
  folder?: string,
): Surroundings {
  return {
    cwd: folder === undefined ? cwd : isAbsolute(folder) ? folder : join(cwd, folder),
    project: projectOf(cwd, home),
    home,
    variables,
    disk,
    isSecretFile: (path) => isSecretPath(path, disk),
  };
}

/** The project is the repository that the folder is in, unless that is the home folder or above it. */
export function projectOf(cwd: string, home = homeFolder() ?? '/nonexistent'): string {
  const top = topOf(cwd);
  return top === undefined || top === '/' || home === top || home.startsWith(`${top}/`) ? cwd : top;
}

const stateOf = async (
  folder: string,
  paths: readonly string[],
  asks: StateQuestion,
): Promise<RepositoryState> => (await loadRepositoryState()).repositoryState(folder, paths, asks);

/** Applies all rules to what a call would do. */
export async function findingsIn(
  effects: readonly Effect[],
  place: CallPlace,
  settings: GuardSettings,
  session = '',
): Promise<readonly RuledFinding[]> {
  const { project, home, isSecretFile } = surroundingsOf(place);
  const states = new Map<string, Promise<RepositoryState>>();
  const protect = settings.protect.map((pattern) =>
    picomatch(isAbsolute(pattern) ? pattern : join(project, pattern), { dot: true }),
  );
  const context: RuleContext = {
    project,
    home,
    disk,
    effects,
    isSecretFile,
    isProtected: (path) => protect.some((matches) => matches(path)),
    isGuarded: place.isGuarded ?? (() => false),
    stateOf(folder, paths, asks = 'changes') {
      const key = JSON.stringify([folder, paths, asks]);
      const state = states.get(key) ?? stateOf(folder, paths, asks);
      states.set(key, state);
      return state;
    },
  };
  const found = await Promise.all(
    effects.flatMap((effect) =>
      allChecks.flatMap((check) => [...check(effect, context)].map((one) => Promise.resolve(one))),
    ),
  );
  const seen = new Set<string>();
  return found.flatMap((finding) => {
    if (finding === undefined || seen.has(`${finding.rule} ${finding.does}`)) return [];
    seen.add(`${finding.rule} ${finding.does}`);
    const about = ruleOf(finding.rule)!;
    const allowedBy = settings.allow.find((one) => allows(one, finding, session, project));
    return [
      {
        ...finding,
        guard: guardOf(finding.rule),
        answer: about.answer,
        about,
        ...(allowedBy && { allowedBy }),
      },
    ];
  });
}

/** Whether an exception is about a finding. */
export function allows(
  { rule, path, command, session }: GuardException,
  finding: Finding,
  now: string,
  project: string,
): boolean {
  if (rule !== finding.rule) return false;
  if (session !== undefined && session !== now) return false;
  if (path !== undefined) {
    const pattern = isAbsolute(path) ? path : join(project, path);
    if (finding.path === undefined) return false;
    if (finding.path !== pattern && !picomatch.isMatch(finding.path, pattern, { dot: true }))
      return false;
  }
  if (command === undefined) return true;
  return command.includes('*')
    ? picomatch.isMatch(finding.part, command, { bash: true, dot: true })
    : finding.part === command || finding.part.startsWith(`${command} `);
}

/** Says in a few sentences what a finding is about, and what to do instead. */
export function sentenceOf({ part, does, rule, about }: RuledFinding): string {
  const what = part === '' ? `This ${does}` : `\`${part}\` ${does}`;
  const instead =
    about.instead === undefined
      ? ''
      : ` Instead: ${about.instead.replace(/^[A-Z]/, (letter) => letter.toLowerCase())}`;
  return shown(`${what}. ${about.why}${instead} [${rule}]`);
}
