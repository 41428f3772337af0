import { execa } from 'execa';
import { expect, test, vi } from 'vitest';
import '../build.ts';
import { project } from '../support/project.ts';
import { isAlive } from '../support/until.ts';

const dist = new URL('../../dist/src/', import.meta.url).href;

/**
 * A host that fires an event with a live hook and a module hook, prints the live one's pid, and then runs
 * this code.
 */
function host(then: string) {
  const hooks = [
    { type: 'live', command: 'python3', args: ['guard.py'] },
    { type: 'module', module: './guard.mjs' },
  ];
  const cwd = project({
    '.hookmachine/settings.json': JSON.stringify({ hooks: { 'tool.before': [{ hooks }] } }),
    'guard.mjs': 'export default () => ({ decision: "allow" });',
    'guard.py': `
import json, os, sys
for line in sys.stdin:
    output = {"decision": "allow", "systemMessage": str(os.getpid())}
    print(json.dumps({"id": json.loads(line)["id"], "output": output}), flush=True)
`,
  });
  const code = `
    import { createConfig } from '${dist}index.js';
    import { hookmachine } from '${dist}hosts/hookmachine/index.js';
    const config = createConfig({ cwd: process.cwd(), dialects: [hookmachine] });
    const system = config.getHookSystem();
    await system.initialize();
    const { results } = await system.getEventHandler().fireBeforeToolEvent('write_file', {});
    if (!results.every(({ success }) => success)) throw new Error('a hook failed');
    console.log(results[0].output.systemMessage);
    ${then}`;
  return execa('node', ['--input-type=module', '-e', code], { cwd, reject: false });
}

test.each([
  ['has nothing more to do', ''],
  ['exits', 'process.exit(0);'],
  ['throws', 'throw new Error("oops");'],
  ['is killed', 'process.kill(process.pid, "SIGKILL");'],
])(
  'a host that %s leaves nothing of its hooks behind, and none of them keeps it alive',
  async (_, then) => {
    const { stdout } = await host(then);
    const pid = Number(stdout);
    expect(pid).toBeGreaterThan(0);
    await vi.waitUntil(() => !isAlive(pid), { timeout: 15_000 });
  },
);
