import { allRules } from '../../src/guards/rules/all.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => `\`${cell(text)}\``;

/** The table of the rules in docs/guards.md, without the blanks that the formatter adds. */
export const rulesTable = (): string =>
  [
    '| rule | answer | what it is about | caught | let through |',
    '| --- | --- | --- | --- | --- |',
    ...allRules.map(
      ({ id, answer, about, catches, lets }) =>
        `| ${code(id)} | ${answer} | ${cell(about)} | ${code(catches)} | ${code(lets)} |`,
    ),
  ].join('\n');
