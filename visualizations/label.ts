import { fontSizes } from './caption.ts';
import type { DrawnEdge } from './graph.ts';
import { textWidth } from './text.ts';

export const LINE_HEIGHT = 16;

/** A longer line makes the whole drawing wider. */
const LONG = 18;

/** What is written on an edge, and the room it takes. */
export interface Label {
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

export function labelOf({ conditions }: DrawnEdge): Label {
  const lines = linesOf(conditions.map(({ text }) => text));
  return {
    lines,
    width: Math.ceil(Math.max(0, ...lines.map((line) => textWidth(line, fontSizes.label))) + 8),
    height: lines.length * LINE_HEIGHT + 2,
  };
}

/** A condition per line, but one guard that all of them ask has a line of its own. */
function linesOf(texts: readonly string[]): readonly string[] {
  const parts = texts.map((text) => text.split(/ (?=\[)/));
  const events = [...new Set(parts.map(([event]) => event))].join(', ');
  const guards = new Set(parts.map(([, guard]) => guard));
  const [guard] = guards;
  if (guard === undefined || guards.size > 1 || events.length > LONG) return texts;
  const isShort = texts.length === 1 && texts[0]!.length <= LONG;
  return isShort ? texts : [events, guard];
}
