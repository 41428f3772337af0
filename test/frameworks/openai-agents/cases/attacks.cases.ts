import { tool } from '@openai/agents';
import { functionCall } from '@openai/agents/testing';
import { describe } from 'vitest';
import { argumentAttacks } from '../../../support/argument-attacks.ts';
import { modes, runIn, says, setup } from './kit.ts';

describe.each(modes)('attacks on an agent of the OpenAI Agents SDK, %s', (mode) => {
  argumentAttacks(
    async (cwd, calls, run) => {
      const names = [...new Set(calls.map(({ name }) => name))];
      const { runner, agent } = setup({
        script: [
          calls.map(({ id, name, args }) => functionCall(name, args, { callId: id })),
          [says('Done.')],
        ],
        tools: names.map((name) =>
          tool({
            name,
            description: name,
            parameters: {
              type: 'object',
              properties: {},
              required: [],
              additionalProperties: true,
            },
            strict: false,
            execute: async (args) => run({ name, args: args as Record<string, unknown> }),
          }),
        ),
        options: { cwd },
      });
      await runIn(mode, runner, agent, 'Go');
    },
    // The SDK gives it another name.
    ['write-file'],
  );
});
