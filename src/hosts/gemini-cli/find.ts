import { join } from 'node:path';
import type { HookSource } from '../../core/protocol/events.ts';
import { isRecord } from '../../base/json.ts';
import { reaches } from '../../settings/files/levels.ts';
import type { Path, SettingsProblem } from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { findHostHooks } from '../parts/host-find.ts';
import { switchFor, type HostLevel, type OffSwitch } from '../parts/host-levels.ts';
import { defineHooks } from './define.ts';
import { geminiFolder } from './places.ts';

/** The events that are denied while it is unknown which hooks guard them. */
const needGuards = (['BeforeTool', 'BeforeAgent', 'BeforeModel'] as const).map((event) => ({
  event,
}));

/** Finds the hooks of settings and extensions. */
export const findHooks = (site: HookSite, system: string): FoundHooks =>
  findHostHooks(site, {
    host: geminiFolder(system),
    needGuards,
    filesOf: ({ path }, read) => {
      const found = read(join(path, 'hooks', 'hooks.json'), false);
      return found ? [{ ...found, hooks: found.values['hooks'] }] : [];
    },
    offFor,
    switchProblems,
    define: (from, levels) => defineHooks(from, (name) => isDisabled(levels, from.source, name)),
  });

const configOf = ({ values }: Pick<HostLevel, 'values'>): Readonly<Record<string, unknown>> =>
  isRecord(values['hooksConfig']) ? values['hooksConfig'] : {};

function offFor(levels: readonly HostLevel[], hooksOf: HookSource): OffSwitch | undefined {
  return switchFor(levels, hooksOf, 'hooksConfig.enabled', (values) => {
    const { enabled } = configOf({ values });
    return typeof enabled === 'boolean' ? !enabled : undefined;
  });
}

/** Whether a level that reaches the hook disables it: by its name, or by its command if it has no name. */
const isDisabled = (levels: readonly HostLevel[], hooksOf: HookSource, name: string): boolean =>
  levels.some((level) => {
    const { disabled } = configOf(level);
    return reaches(level.source, hooksOf) && Array.isArray(disabled) && disabled.includes(name);
  });

/** Returns the problems of switches and lists that have the wrong type. */
function switchProblems(level: HostLevel): SettingsProblem[] {
  const { file, values, locate } = level;
  const problem = (path: Path, value: unknown, fix: string): SettingsProblem => ({
    file,
    ...(locate && { at: locate(path) }),
    place: path.join('.'),
    message: `${said(value)}, so it was ignored`,
    fix,
  });
  const { hooksConfig } = values;
  if (hooksConfig !== undefined && !isRecord(hooksConfig))
    return [problem(['hooksConfig'], hooksConfig, 'make it an object: { … }')];
  const { enabled, disabled } = configOf(level);
  return [
    ...(enabled !== undefined && typeof enabled !== 'boolean'
      ? [problem(['hooksConfig', 'enabled'], enabled, 'make it true or false')]
      : []),
    ...(disabled !== undefined && !Array.isArray(disabled)
      ? [problem(['hooksConfig', 'disabled'], disabled, 'make it an array of hook names')]
      : []),
  ];
}
