import type { HostTable } from '../table/host-table.ts';
import { tableOf } from '../opencode/table.ts';

export const table: HostTable = tableOf({
  title: 'Kilo',
  folder: 'kilo',
  programs: ['kilo', 'kilocode'],
  measured: '7.7.9',
});
