import { open as openPlain } from './hookmachine.ts';
import type { OpenContestant } from './contestant.ts';

/** Our engine, with every hook started ahead of its event. */
export const open: OpenContestant = (scenario, cwd) =>
  openPlain(
    {
      ...scenario,
      groups: scenario.groups.map((group) => ({
        ...group,
        hooks: group.hooks.map((hook) => ({ ...hook, prestart: true })),
      })),
    },
    cwd,
  );
