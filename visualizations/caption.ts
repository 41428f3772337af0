import type { DrawnState } from './graph.ts';
import { textWidth } from './text.ts';

export const fontSizes = { name: 14, about: 12, actor: 12, heed: 12, label: 12 };

export interface Piece {
  readonly kind: 'name' | 'about' | 'actor' | 'heed';
  readonly text: string;
  readonly description: string | undefined;
  readonly width: number;
  readonly height: number;
}

/** A piece with its upper left corner, relative to that of its state. */
export type PlacedPiece = Piece & { readonly x: number; readonly y: number };

/** The text in a state, and the room that it takes. */
export interface Caption {
  readonly width: number;
  readonly height: number;
  readonly pieces: readonly PlacedPiece[];
}

const SIDE = 14;
const GAP = 8;
const BOLD = 1.1;
const heights = { name: 22, about: 18, actor: 20, heed: 16 };
const paddings = { name: 0, about: 0, actor: 16, heed: 0 };

/** A state that contains others has its caption in the corner; any other is filled by it. */
export function captionOf(state: DrawnState): Caption {
  const name = piece('name', state.name);
  const actors = state.actors.map((actor) => piece('actor', actor));
  const heeds = state.heeds.map(({ text, description }) => piece('heed', `↻ ${text}`, description));
  if (state.states.length === 0) return centred([name, ...actors, ...heeds]);
  const about = state.kind === 'machine' && state.description ? [state.description] : [];
  return cornered([[name, ...actors], about.map((text) => piece('about', text)), heeds]);
}

const piece = (kind: Piece['kind'], text: string, description?: string): Piece => ({
  kind,
  text,
  description,
  width: textWidth(text, fontSizes[kind]) * (kind === 'name' ? BOLD : 1) + paddings[kind],
  height: heights[kind],
});

function centred(pieces: readonly Piece[]): Caption {
  const width = Math.ceil(Math.max(72, ...pieces.map((each) => each.width)) + 2 * SIDE);
  const placed: PlacedPiece[] = [];
  let y = 7;
  for (const each of pieces) {
    placed.push({ ...each, x: (width - each.width) / 2, y });
    y += each.height + (each.kind === 'heed' ? 1 : 4);
  }
  return { width, height: y + 3, pieces: placed };
}

function cornered(rows: readonly (readonly Piece[])[]): Caption {
  const placed: PlacedPiece[] = [];
  let [y, width] = [8, 0];
  for (const row of rows.filter(({ length }) => length > 0)) {
    let x = SIDE;
    for (const each of row) {
      placed.push({ ...each, x, y });
      x += each.width + GAP;
    }
    width = Math.max(width, x - GAP + SIDE);
    y += Math.max(...row.map(({ height }) => height)) + 2;
  }
  return { width: Math.ceil(width), height: y, pieces: placed };
}
