import { diffLines } from 'diff';

/** Two values as indented JSON, a line each, marked with - and + where they differ. */
export function diffOfValues(before: unknown, after: unknown): string[] {
  return diffLines(indented(before), indented(after)).flatMap(({ value, added, removed }) =>
    value
      .trimEnd()
      .split('\n')
      .map((line) => `${added ? '+' : removed ? '-' : ' '} ${line}`),
  );
}

const indented = (value: unknown): string =>
  value === undefined ? '' : `${JSON.stringify(value, null, 2)}\n`;
