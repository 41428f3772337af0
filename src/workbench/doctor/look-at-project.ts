import type { Dialect } from '../../core/dialects/dialect.ts';
import { counted } from '../../base/counted.ts';
import { lookAtHooks } from '../parts/look-at-hooks.ts';
import type { Finding } from './finding.ts';

/** Looks at the hooks that would run for a project, whichever agent calls; none of them is started. */
export async function lookAtProject(
  folder: string,
  dialects: readonly Dialect[],
): Promise<readonly Finding[]> {
  const { hooks, registry } = await lookAtHooks(folder, dialects);
  const findings: Finding[] = [];
  const untrusted = hooks.filter((hook) => hook.untrusted !== undefined);
  const off = hooks.filter((hook) => hook.switchedOff);
  if (hooks.length === 0)
    findings.push({
      code: 'no-hooks',
      level: 'off',
      message: 'no hook is configured, so nothing guards any agent here',
      fix: 'hookmachine init',
    });
  if (untrusted.length > 0)
    findings.push({
      code: 'untrusted',
      level: 'off',
      message: `${counted(untrusted.length, 'hook')} of the project ${untrusted.length === 1 ? 'does' : 'do'} not run: ${untrusted[0]!.untrusted!.why}`,
      fix: 'hookmachine trust',
    });
  if (off.length > 0)
    findings.push({
      code: 'hooks-switched-off',
      level: 'off',
      message: `${counted(off.length, 'hook')} ${off.length === 1 ? 'is' : 'are'} switched off by settings`,
      fix: 'hookmachine list says where',
    });
  const [problem] = registry.problems;
  if (problem !== undefined)
    findings.push({
      code: 'settings-wrong',
      level: 'warning',
      ...(problem.file !== undefined && { file: problem.file }),
      message: `${counted(registry.problems.length, 'problem')} in settings: ${problem.message}`,
      fix: 'hookmachine check',
    });
  return findings;
}
