import type { Caption } from './caption.ts';
import type { DrawnEdge, DrawnState } from './graph.ts';
import type { Label } from './label.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedState extends Point {
  readonly width: number;
  readonly height: number;
  readonly state: DrawnState;
  readonly caption: Caption;
}

export interface PlacedEdge {
  readonly edge: DrawnEdge;
  readonly points: readonly Point[];
  readonly label: (Label & Point) | undefined;
}

/** Where everything is drawn. A state comes before those inside it. */
export interface Layout {
  /** The lot that ELK used. */
  readonly lot: number;
  readonly width: number;
  readonly height: number;
  readonly states: readonly PlacedState[];
  readonly edges: readonly PlacedEdge[];
  /** The lines from each initial dot to the state that it starts in. */
  readonly starts: readonly (readonly Point[])[];
}
