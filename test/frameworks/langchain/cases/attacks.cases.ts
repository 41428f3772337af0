import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { hooksMiddleware } from '../../../../src/entries/langchain.ts';
import { argumentAttacks } from '../../../support/argument-attacks.ts';
import { say, ScriptedChat } from './kit.ts';

argumentAttacks(async (cwd, calls, run) => {
  const names = [...new Set(calls.map(({ name }) => name))];
  const guarded = hooksMiddleware({ cwd });
  const agent = createAgent({
    model: new ScriptedChat([{ calls }, { text: 'Done.' }]),
    tools: names.map((name) =>
      tool((args) => run({ name, args }), { name, description: name, schema: z.looseObject({}) }),
    ),
    middleware: [guarded],
  });
  await agent.invoke(say('Go'));
  await guarded.end();
});
