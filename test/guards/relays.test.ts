import { expect, test } from 'vitest';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { sampleStdin } from '../../src/workbench/matrix/sample-stdin.ts';
import { relayBox } from '../support/relay.ts';

/* The guards judge alike, whichever host asks. */

const cases = knownDialects
  .filter((one) => one.speak !== undefined && one.name !== 'kodelet-strict')
  .flatMap((host) =>
    Object.entries(host.events)
      // Cursor has events of their own for files and for servers.
      .filter(([name, event]) => event === 'BeforeTool' && !/MCP|ReadFile/.test(name))
      .map(([name]) => [host.name, name] as const),
  );

/** The same event with another command. */
const withCommand = (given: object, command: string): string =>
  JSON.stringify(given).replaceAll('rm -rf /', JSON.stringify(command).slice(1, -1));

test.each(cases)(
  'the guards deny in the relay of %s at %s, and let through',
  async (name, event) => {
    const host = knownDialects.find((one) => one.name === name)!;
    const box = relayBox();
    box.write(box.own.project, { guards: { shell: 'on', git: 'on' } });
    const given = await sampleStdin(host, event, box.project);
    const named = { hook_event_name: event, event, session_id: 's', ...given };
    const told = async (command: string): Promise<string> => {
      const { stdout, stderr } = await box.relay(name, withCommand(named, command), { event });
      return stdout + stderr;
    };
    expect(await told('cd / && echo "rm -rf /etc" | sh')).toContain('[shell/delete-system]');
    expect(await told('ls -la')).not.toContain('shell/');
  },
);
