import { BaseTool, type RunAsyncToolRequest } from '@google/adk';
import { argumentAttacks } from '../../../support/argument-attacks.ts';
import { runIn, says, setup } from './kit.ts';

/** A tool that takes any arguments. */
class AnyTool extends BaseTool {
  readonly #run: (args: Readonly<Record<string, unknown>>) => unknown;

  constructor(name: string, run: (args: Readonly<Record<string, unknown>>) => unknown) {
    super({ name, description: name });
    this.#run = run;
  }

  override _getDeclaration() {
    return { name: this.name, description: this.description };
  }

  override async runAsync({ args }: RunAsyncToolRequest): Promise<unknown> {
    return this.#run(args);
  }
}

argumentAttacks(
  async (cwd, calls, run) => {
    const names = [...new Set(calls.map(({ name }) => name))];
    const { runner } = setup({
      script: [
        calls.map(({ id, name, args }) => ({ functionCall: { id, name, args: { ...args } } })),
        [says('Done.')],
      ],
      tools: names.map((name) => new AnyTool(name, (args) => run({ name, args }))),
      options: { cwd },
    });
    await runIn('whole', runner, 'Go');
  },
  // ADK takes them for the names of tools that it has already.
  ['constructor', 'toString', 'hasOwnProperty'],
);
