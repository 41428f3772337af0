import { describe, expect, test } from 'vitest';
import { hostDialect, type HostRoom } from '../../src/hosts/parts/host-dialect.ts';
import { table } from '../../src/hosts/kodelet/table.ts';
import { definition } from '../support/definition.ts';
import { readyToFind } from '../../src/workbench/matrix/run-as.ts';

/** A dialect whose room is loaded by this function. */
const dialectOf = (load: () => Promise<HostRoom>) =>
  hostDialect({ name: 'otter', events: { before: 'BeforeTool' }, mayBeIn: () => true }, load);

describe('a dialect whose room is loaded with its first use', () => {
  test('loads it once, whoever asks meanwhile', async () => {
    const rooms: HostRoom[] = [];
    const otter = dialectOf(async () => {
      await Promise.resolve();
      rooms.push({ ...table });
      return rooms.at(-1)!;
    });
    const reported = { toolName: undefined, toolInput: null, toolResponse: undefined };
    await Promise.all([
      readyToFind(otter, '/'),
      readyToFind(otter, '/'),
      otter.speak(),
      otter.reportCall({ ...reported, followUps: [] }),
    ]);
    expect(rooms).toHaveLength(1);
  });

  test('tries again after it could not be loaded', async () => {
    let times = 0;
    const otter = dialectOf(async () => {
      times++;
      if (times === 1) throw new Error('no descriptor is free');
      return table;
    });
    await expect(otter.speak()).rejects.toThrow('no descriptor is free');
    expect((await otter.speak()).title).toBe('Kodelet');
    expect(times).toBe(2);
  });

  test('says that its hooks have to be found first', async () => {
    const otter = dialectOf(async () => table);
    const hook = definition('BeforeTool');
    expect(() => otter.identity(hook)).toThrow('The hooks of otter must be found before they run.');
    await readyToFind(otter, '/');
    expect(otter.identity(hook)).toBe(hook.name);
  });
});
