import { isAbsolute, join } from 'node:path';
import picomatch from 'picomatch';
import type { GuardSettings } from '../settings/files/read-guards.ts';
import { type CallPlace, surroundingsOf } from './reading/call-effects.ts';
import { allows, type RuledFinding } from './rules/findings.ts';
import { onDemand } from '../base/on-demand.ts';
import { allChecks, guardOf, ruleOf } from './rules/all.ts';
import type { RepositoryState, RuleContext, StateQuestion } from './rules/rule.ts';
import { disk } from '../shell/reading/disk.ts';
import type { Effect } from '../shell/reading/effects.ts';

const loadRepositoryState = onDemand(() => import('./repository-state.ts'));

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
