import { fontSizes, type PlacedPiece } from './caption.ts';
import { DOT_RADIUS } from './elk-graph.ts';
import type { DrawnEdge } from './graph.ts';
import { LINE_HEIGHT } from './label.ts';
import type { Ending } from './meaning.ts';
import type { Layout, PlacedEdge, PlacedState, Point } from './placed.ts';
import { headOf, lineThrough, rounded } from './line.ts';
import { style } from './style.ts';

/** Renders a laid-out machine as SVG, in which every state and edge can be found by its id. */
export function svgOf({ lot, width, height, states, edges, starts }: Layout): string {
  const [right, bottom] = [Math.ceil(width) + 2, Math.ceil(height) + 2];
  const about = states[0]?.state.description ?? '';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="statechart" data-lot="${lot}" role="img" aria-label="${escaped(about)}" viewBox="-1 -1 ${right} ${bottom}" width="${right}" height="${bottom}">`,
    `<style>${style}</style>`,
    ...states.map(stateMarkup),
    ...starts.map(startMarkup),
    // The usual path is drawn above all others.
    ...edges.toSorted((a, b) => Number(a.edge.isUsual) - Number(b.edge.isUsual)).map(edgeMarkup),
    ...edges.map(labelMarkup),
    '</svg>\n',
  ].join('\n');
}

function stateMarkup({ state, caption, x, y, width, height }: PlacedState): string {
  const centre = state.states.length === 0 ? x + width / 2 : undefined;
  return [
    `<g class="state ${state.kind}${endingClass(state)}" data-state="${state.id}">`,
    titleMarkup([state.description]),
    `<rect class="box" ${frame({ x, y, width, height }, 9)}/>`,
    state.kind === 'final'
      ? `<rect class="rim" ${frame({ x: x + 3.5, y: y + 3.5, width: width - 7, height: height - 7 }, 6)}/>`
      : '',
    ...caption.pieces.map((piece) =>
      pieceMarkup({ ...piece, x: x + piece.x, y: y + piece.y }, centre),
    ),
    '</g>',
  ].join('');
}

function pieceMarkup(piece: PlacedPiece, centre?: number): string {
  const { kind, text, description, x, y, width, height } = piece;
  const chip = kind === 'actor';
  const middle = chip ? x + width / 2 : centre;
  const anchor = middle === undefined ? '' : ' text-anchor="middle"';
  const baseline = y + height / 2 + fontSizes[kind] * 0.35;
  return [
    chip ? `<rect class="chip" ${frame({ x, y, width, height }, height / 2)}/>` : '',
    `<text class="${kind}" x="${rounded(middle ?? x)}" y="${rounded(baseline)}"${anchor}>${titleMarkup([description])}${escaped(text)}</text>`,
  ].join('');
}

const endingClass = ({ ending }: { ending: Ending | undefined }): string =>
  ending === undefined ? '' : ` ends-${ending}`;

/** The usual path is bold; any other edge to a final state has the colour of its meaning. */
const toneOf = (edge: DrawnEdge): string => (edge.isUsual ? ' usual' : endingClass(edge));

const startMarkup = (points: readonly Point[]): string =>
  `${circleAbove(points, 'dot', 'It starts here.')}<path class="start" d="${lineThrough(points)}"/><path class="head" d="${headOf(points)}"/>`;

/** An edge that leads inward starts at a ring, which means: anywhere in the state. */
const edgeMarkup = ({ edge, points }: PlacedEdge): string =>
  `${edge.inward ? circleAbove(points, 'ring', 'Whichever state it is in.') : ''}<path class="edge${toneOf(edge)}" data-from="${edge.from}" data-to="${edge.to}" d="${lineThrough(points)}"/><path class="head${toneOf(edge)}" d="${headOf(points)}"/>`;

function circleAbove([tail = { x: 0, y: 0 }]: readonly Point[], kind: string, about: string) {
  return `<circle class="${kind}" cx="${rounded(tail.x)}" cy="${rounded(tail.y - DOT_RADIUS)}" r="${DOT_RADIUS}">${titleMarkup([about])}</circle>`;
}

function labelMarkup({ edge, label }: PlacedEdge): string {
  if (!label) return '';
  const { x, y, width, lines } = label;
  return [
    `<g class="label${edge.isUsual ? ' usual' : ''}" data-from="${edge.from}" data-to="${edge.to}">`,
    titleMarkup(edge.conditions.map(({ description }) => description)),
    `<rect ${frame(label, 4)}/>`,
    ...lines.map(
      (line, index) =>
        `<text x="${rounded(x + width / 2)}" y="${rounded(y + 13 + index * LINE_HEIGHT)}">${escaped(line)}</text>`,
    ),
    '</g>',
  ].join('');
}

interface Frame extends Point {
  readonly width: number;
  readonly height: number;
}

const frame = ({ x, y, width, height }: Frame, radius: number): string =>
  `x="${rounded(x)}" y="${rounded(y)}" width="${rounded(width)}" height="${rounded(height)}" rx="${radius}"`;

function titleMarkup(descriptions: readonly (string | undefined)[]): string {
  const said = descriptions.filter((description) => description !== undefined);
  return said.length === 0 ? '' : `<title>${escaped(said.join('\n'))}</title>`;
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
