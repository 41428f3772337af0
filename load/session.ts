import { z } from 'zod';
import type { Tool } from '../src/entries/agent.ts';
import {
  createConfig,
  type CreateConfigOptions,
  type HookSystemConfig,
  type Settings,
} from '../src/index.ts';
import { endless, kinds, said, stop } from './kinds.ts';

type Hooks = NonNullable<Settings['hooks']>;

/** Creates a config with the hooks of every kind. */
export async function openSession(
  options: Pick<CreateConfigOptions, 'inspect' | 'onWarning'>,
): Promise<HookSystemConfig> {
  const config = createConfig({
    cwd: process.cwd(),
    settings: { tools: { enableHooks: true }, hooks: allHooks },
    ...options,
  });
  await config.getHookSystem()!.initialize();
  return config;
}

const allHooks = [...kinds, stop, endless].reduce<Hooks>(
  (all, { hooks = {} }) => ({
    BeforeTool: [...(all.BeforeTool ?? []), ...(hooks.BeforeTool ?? [])],
    AfterTool: [...(all.AfterTool ?? []), ...(hooks.AfterTool ?? [])],
  }),
  {},
);

interface Input {
  readonly number: number;
  readonly text: string;
}

const parameters: z.ZodType<Input> = z.object({ number: z.number(), text: z.string() });

/** The tools of all kinds, except the one that does not exist. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  [...kinds, stop, endless]
    .filter(({ name }) => name !== 'no-such-tool')
    .map(({ name }): [string, Tool] => [name, toolFor(name)]),
);

function toolFor(name: string): Tool<Input> {
  return {
    name,
    description: 'Says what it is given.',
    parameters,
    async execute({ number, text }) {
      // Some end sooner than others that began before them.
      for (let turns = number % 4; turns > 0; turns--)
        await new Promise((resolve) => void setImmediate(resolve));
      if (name === 'tool-throws') throw new RangeError(`${number} broke`);
      return { llmContent: said(number, text), returnDisplay: text };
    },
  };
}
