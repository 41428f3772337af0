import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import { onDemand } from '../../base/on-demand.ts';
import { eventTable } from '../parts/event-table.ts';
import { mayHold, projectSight } from '../parts/host-places.ts';
import { settingsAtFirstSight } from '../../settings/files/read-files.ts';
import type { LoadedDialect, TableDialect, TableEvent } from './host-table.ts';
import { filesOf } from './places.ts';
import { spoken } from './table-host.ts';
import type * as Protocol from './protocol.ts';

const loadProtocol = onDemand(() => import('./protocol.ts'));
const loadFind = onDemand(() => import('./find.ts'));

/** Makes the dialect of a host of which everything stands in a table. */
export function tableDialect(host: TableDialect): Dialect & Host {
  const { name, events, places, load } = host;
  const { ours } = eventTable<string, TableEvent>(events);
  let loaded: { readonly of: LoadedDialect; readonly by: typeof Protocol } | undefined;
  const ready = async () => {
    const [{ table }, by] = await Promise.all([load(), loadProtocol()]);
    return (loaded ??= { of: { ...host, ...table }, by });
  };
  const now = () => {
    if (loaded === undefined)
      throw new Error(`The hooks of ${name} must be found before they run.`);
    return loaded;
  };
  const withTable = async <Result>(use: (of: LoadedDialect) => Result | Promise<Result>) =>
    use((await ready()).of);
  return {
    name,
    family: name,
    events: ours,
    needsSwitch: false,
    ...(host.approves && { approves: true }),
    guarded: places.guarded,
    mayBeIn: (cwd, counts = () => true) =>
      filesOf(places, cwd).some(
        ({ source, file }) => counts(source) && mayHold(settingsAtFirstSight(file, places.signs)),
      ),
    atFirstSight: (cwd) => projectSight(filesOf(places, cwd), places.signs),
    find: (site) => withTable(async (of) => (await loadFind()).findHooks(of, site)),
    identity: (hook) => now().of.identity?.(hook) ?? identityOf(hook),
    matcherOf: (hook) => now().by.matcherOf(now().of, hook),
    compileMatcher: (hook, onUndecided) => now().by.compileMatcher(now().of, hook, onUndecided),
    applies: (hook, payload) => now().by.applies(now().of, hook, payload),
    mode: () => 'parallel',
    environment: (hook, input) => now().by.environmentOf(now().of, hook, { ...input }),
    stdin: (hook, payload, context) => now().by.toStdin(now().of, hook, payload, context),
    read: (hook, outcome, payload) => now().by.readAnswer(now().of, hook, outcome, payload),
    ...spoken(host),
    ...(host.isWritable && {
      write: () => withTable(async (of) => (await import('./write.ts')).writerOf(of)),
    }),
  };
}

const identityOf = ({ nativeEvent, matcher, command }: HookDefinition): string =>
  JSON.stringify([nativeEvent, matcher, command]);
