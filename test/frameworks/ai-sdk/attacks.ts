import { argumentAttacks } from '../../support/argument-attacks.ts';
import { done, type Suite } from './agent.ts';

/** What a model may try against hooks. */
export function attacks({ agent }: Suite): void {
  argumentAttacks(async (folder, calls, run) => {
    const some = await agent({
      folder,
      answers: [{ calls: calls.map(({ id, name, args }) => [id, name, args]) }, done],
      tools: Object.fromEntries(
        calls.map(({ name }) => [name, (args: never) => run({ name, args })]),
      ),
    });
    await some.run('Go');
  });
}
