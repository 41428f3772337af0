import { fontSizes } from './caption.ts';
import type { DrawnEdge } from './graph.ts';
import { textWidth } from './text.ts';

export const LINE_HEIGHT = 16;

/** The longest line in characters; a longer one would make the whole drawing wider. */
const LONG = 18;

/** The text on an edge, and the room that it takes. */
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

/** Puts each condition on its own line; a guard that all of them share gets one line for itself. */
function linesOf(texts: readonly string[]): readonly string[] {
  const parts = texts.map((text) => text.split(/ (?=\[)/));
  const events = [...new Set(parts.map(([event]) => event))].join(', ');
  const guards = new Set(parts.map(([, guard]) => guard));
  const [guard] = guards;
  if (guard === undefined || guards.size > 1 || events.length > LONG) return texts;
  const isShort = texts.length === 1 && texts[0]!.length <= LONG;
  return isShort ? texts : [events, guard];
}
