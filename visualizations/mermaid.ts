import { type DrawnEdge, type DrawnState, type Graph, withInner } from './graph.ts';
import { themes } from './style.ts';

/** The same drawing for places that lay out Mermaid themselves, such as a README. */
export function mermaidOf({ root, edges }: Graph): string {
  return [
    'stateDiagram-v2',
    ...[...insideOf(root, edges), ...edges.map(edgeOf), ...coloursOf(root)].map(
      (line) => `  ${line}`,
    ),
    '',
  ].join('\n');
}

function insideOf(state: DrawnState, edges: readonly DrawnEdge[]): string[] {
  const goesInward = edges.some(({ from, inward }) => inward && from === state.id);
  return [
    ...state.starts.map((start) => `[*] --> ${idOf(start)}`),
    ...(goesInward ? [`state "any state" as ${anywhereIn(state.id)}`] : []),
    ...state.states.flatMap((child) => declarationOf(child, edges)),
  ];
}

function declarationOf(state: DrawnState, edges: readonly DrawnEdge[]): string[] {
  const id = idOf(state.id);
  const named = `state "${captionOf(state)}" as ${id}`;
  if (state.kind === 'final') return [named, `${id} --> [*]`];
  if (state.states.length === 0) return [named];
  return [`${named} {`, ...insideOf(state, edges).map((line) => `  ${line}`), '}'];
}

/** Only borders are coloured: they are visible on a light page and on a dark one. */
function coloursOf(root: DrawnState): string[] {
  const finals = withInner(root).filter(({ ending }) => ending !== undefined);
  return [
    ...new Set(
      finals.map(
        ({ ending }) => `classDef ${ending} stroke:${themes.light[ending!]},stroke-width:3px`,
      ),
    ),
    ...finals.map(({ id, ending }) => `class ${idOf(id)} ${ending}`),
  ];
}

function edgeOf({ from, to, inward, conditions }: DrawnEdge): string {
  const why = conditions.map(({ text }) => text).join('<br/>');
  return `${inward ? anywhereIn(from) : idOf(from)} --> ${idOf(to)}${why && ` : ${why}`}`;
}

/** In Mermaid, the caption of a state with other states inside has a single line. */
function captionOf({ name, actors, heeds, states }: DrawnState): string {
  const marked = [...actors.map((actor) => `⟳ ${actor}`), ...heeds.map(({ text }) => `↻ ${text}`)];
  return [name, ...marked].join(states.length > 0 ? ' ' : '<br/>');
}

const idOf = (id: string): string => id.replaceAll('.', '_');

/** Mermaid cannot draw an edge from a state to one inside it. */
const anywhereIn = (id: string): string => `${idOf(id)}_any`;
