import { fontSizes } from './caption.ts';
import type { DrawnEdge } from './graph.ts';
import { textWidth } from './text.ts';

export const LINE_HEIGHT = 16;

/** What is written on an edge, and the room it takes. */
export interface Label {
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

/** A condition per line; a long one that stands alone breaks before its guard. */
export function labelOf({ conditions }: DrawnEdge): Label {
  const texts = conditions.map(({ text }) => text);
  const [only = ''] = texts;
  const lines = texts.length === 1 && only.length > 18 ? only.split(/ (?=\[)/) : texts;
  return {
    lines,
    width: Math.ceil(Math.max(0, ...lines.map((line) => textWidth(line, fontSizes.label))) + 8),
    height: lines.length * LINE_HEIGHT + 2,
  };
}
