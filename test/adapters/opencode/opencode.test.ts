import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HookmachinePlugin } from '../../../src/entries/opencode.ts';
import { group, print } from '../../support/session.ts';
import { project } from '../../support/project.ts';

/** OpenCode's server, which cannot be reached. */
const away = (): unknown => new Proxy(() => Promise.reject(new Error('away')), { get: away });

test('the OpenCode plugin does not run a call that hooks allow after another call stopped the turn', async () => {
  const stop = print({ continue: false, stopReason: 'Enough.' });
  const guard = `jq -e '.tool_input.command == "stop"' > /dev/null && { ${stop}; exit; }; until [ -e go ]; do sleep 0.02; done`;
  const settings = { hooks: { BeforeTool: [group([guard])] } };
  const directory = project({ '.hookmachine/settings.json': settings });
  const plugin = await HookmachinePlugin(
    { client: away() as never, directory },
    { onStop: () => undefined },
  );
  const judged = (callID: string, command: string): Promise<void> =>
    plugin['tool.execute.before']({ sessionID: 's', tool: 'bash', callID }, { args: { command } });
  const slow = judged('1', 'ls');
  await expect(judged('2', 'stop')).rejects.toThrow('Enough.');
  writeFileSync(join(directory, 'go'), '');
  await expect(slow).rejects.toThrow('Enough.');
  await plugin.dispose();
});
