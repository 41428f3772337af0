import { compileFunction } from 'node:vm';
import { transform } from 'esbuild';
import * as xstate from 'xstate';

/** Everything that Stately Sketch puts in scope (`statelyai/sketch:src/lib/machine.ts`). */
const inScope = [
  ...(['createMachine', 'setup', 'assign', 'raise', 'sendTo', 'sendParent', 'forwardTo'] as const),
  ...(['cancel', 'emit', 'enqueueActions', 'log', 'stop', 'stopChild', 'spawnChild'] as const),
  ...(['and', 'or', 'not', 'stateIn', 'assertEvent', 'matchesState', 'fromPromise'] as const),
  ...(['fromCallback', 'fromObservable', 'fromEventObservable', 'fromTransition'] as const),
];

const exported = new Map<string, unknown>(Object.entries(xstate));

/** Returns a machine file without its types, with every import of a value kept. */
export async function withoutTypes(code: string): Promise<string> {
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
  return (await transform(code, { loader: 'ts', tsconfigRaw })).code;
}

/** Runs a machine file the way Stately Sketch does: XState is in scope, and nothing else. */
export async function sketch(code: string, name: string): Promise<unknown> {
  const script = (await withoutTypes(code))
    .replaceAll(/^import .* from "xstate";$/gm, '')
    .replaceAll(/^export (?=const|function|class)/gm, '');
  const run = compileFunction(`${script}\nreturn ${name};`, [...inScope]);
  return run(...inScope.map((key) => exported.get(key)));
}
