import { styleText } from 'node:util';
import { isTerminal } from './is-terminal.ts';

type Style = Parameters<typeof styleText>[0];

/** Which lines have which style: the first that fits counts. */
export type Colours = readonly (readonly [RegExp, Style])[];

/** Whether what is printed is seen by somebody who wants colours (no-color.org, force-color.org). */
export function wantsColours(env: NodeJS.ProcessEnv = process.env): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR'] !== undefined) return !['', '0', 'false'].includes(env['FORCE_COLOR']);
  return env['TERM'] !== 'dumb' && isTerminal(1);
}

/** Returns a text in which lines are coloured, if somebody sees them; nothing in it may play tricks any more. */
export function painted(text: string, colours: Colours, isWanted = wantsColours()): string {
  if (!isWanted) return text;
  return text
    .split('\n')
    .map((line) => {
      const style = line === '' ? undefined : colours.find(([pattern]) => pattern.test(line))?.[1];
      return style === undefined ? line : styleText(style, line, { validateStream: false });
    })
    .join('\n');
}
