import type { HookProcessOutcome } from '../../machines/hook-process.ts';
import type { Dialect, DialectOutline } from '../dialects/dialect.ts';
import type { FoundHooks, HookSite } from '../dialects/hook-site.ts';
import type { HooksFromSource } from '../settings/define-hooks.ts';
import { extensionHooks } from '../settings/extensions.ts';
import type { TrustGate } from '../trust/gate.ts';
import type { HookSystemConfig } from './config.ts';
import { hookMachines } from './load-machines.ts';
import { messageOf } from './message-of.ts';

/** The hooks of one dialect. */
export interface DialectHooks<D extends DialectOutline = Dialect> extends FoundHooks {
  readonly dialect: D;
}

/**
 * Every dialect's hooks, as they are now; where they cannot be found, as they were `before`. `trusts` is
 * asked before a file is run to learn what it is.
 */
export function findAllHooks<D extends DialectOutline>(
  config: HookSystemConfig,
  dialects: readonly D[],
  trusts: TrustGate,
  before: readonly DialectHooks<D>[] = [],
): Promise<DialectHooks<D>[]> {
  const cwd = config.getWorkingDir();
  const sources = sourcesOf(config);
  const site = {
    cwd,
    settings: () => sources,
    // With hooks off nothing is run to learn what it is.
    trusts: config.getEnableHooks() ? trusts : () => false,
    run: (program: string, args: readonly string[], timeout: number) =>
      runProgram(program, args, cwd, timeout),
  };
  return Promise.all(
    dialects
      .filter((dialect) => dialect.mayBeIn(cwd))
      .map(async (dialect) => {
        const last = before.find((known) => known.dialect === dialect);
        return { dialect, ...(await findWith(dialect, site, last)) };
      }),
  );
}

/** A dialect that breaks costs the others nothing. */
async function findWith(
  dialect: DialectOutline,
  site: HookSite,
  last: FoundHooks | undefined,
): Promise<FoundHooks> {
  try {
    return await dialect.find(site);
  } catch (error) {
    const then = last ? 'they count as they were before' : 'none of them runs';
    const problem = {
      place: '',
      message: `the hooks of ${dialect.name} cannot be found (${messageOf(error)}), so ${then}`,
      mend: 'mend what the message says',
    };
    return { definitions: [], unasked: [], ...last, problems: [problem] };
  }
}

function sourcesOf(config: HookSystemConfig): readonly HooksFromSource[] {
  const extensions = (config.getExtensions?.() ?? []).filter(({ isActive }) => isActive);
  return [
    ...(config.getHookSources?.() ?? [{ source: 'project', hooks: config.getHooks() }]),
    ...extensions.map(extensionHooks),
  ];
}

async function runProgram(
  command: string,
  args: readonly string[],
  cwd: string,
  timeout: number,
): Promise<HookProcessOutcome> {
  const { hookProcess, runMachine } = await hookMachines();
  const input = {
    name: command,
    timeout,
    command: { command, args, cwd, env: {}, stdin: () => '' },
  };
  return runMachine(hookProcess, input, {});
}
