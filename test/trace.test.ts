import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { citedIds, readRequirements } from '../scripts/citations.ts';

const requirements = readRequirements(
  readFileSync(new URL('../docs/requirements.md', import.meta.url), 'utf8'),
);
const cited = (name: string): string =>
  citedIds(name, requirements)
    .map((id) => id.replace('HOOK-', ''))
    .join(' ');

describe('the requirements that a test name cites', () => {
  test.each([
    ['exit 2 denies (HOOK-016a, HOOK-067a, HOOK-189)', '016a 067a 189'],
    ['it (HOOK-016a, 067a; C-25)', '016a 067a'],
    ['it (HOOK-150, 151 and 152)', '150 151 152'],
    ['it (HOOK-150/151, and 152)', '150 151 152'],
    ['HOOK-074: mode and names, both ways', '074'],
    ['HOOK-016a/b', '016a 016b'],
    ['a number with two halves (HOOK-067)', '067a 067b'],
    ['a range (HOOK-063 to 066)', '063 066 064 065'],
    ['a range (HOOK-063 to HOOK-065, 070)', '063 065 064 070'],
    ['a range (HOOK-011–013)', '011 013 012'],
    ['a range over halves (HOOK-066 through 068)', '066 068 067a 067b'],
    ['the other kind (DELTA-HRUN-001 to 003)', 'DELTA-HRUN-001 DELTA-HRUN-003 DELTA-HRUN-002'],
    ['mixed (DELTA-HSYS-002, HEVT-004, HOOK-001)', 'DELTA-HSYS-002 DELTA-HEVT-004 001'],
    ['a chapter is none (HOOK-098, 000 §7.3)', '098'],
    ['a document is none (HOOK-098, 003 and 000 s8)', '098'],
    ['nor is a number of something (HOOK-104 in 200 ms, 300 times)', '104'],
    ['one that does not exist (HOOK-999, 220)', '999 220'],
    ['no id at all: 404, C-25, HOOK', ''],
  ])('the cited requirements are found in: %s', (name, ids) => {
    expect(cited(name)).toBe(ids);
  });

  test('the list holds 211 HOOK and 29 DELTA requirements, and eight that were retired', () => {
    const ids = [...requirements.active.keys()];
    expect(ids.filter((id) => id.startsWith('HOOK-'))).toHaveLength(211);
    expect(ids.filter((id) => id.startsWith('DELTA-'))).toHaveLength(29);
    expect([...requirements.retired]).toEqual([
      ['HOOK-121', 'HOOK-188'],
      ['HOOK-122', 'HOOK-188'],
      ['HOOK-123', 'HOOK-188'],
      ['HOOK-124', 'HOOK-188'],
      ['HOOK-126', 'HOOK-125'],
      ['HOOK-185', 'HOOK-091'],
      ['HOOK-186', 'HOOK-109'],
      ['HOOK-197', 'HOOK-067b'],
    ]);
  });
});
