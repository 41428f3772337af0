import type { MovedEntry } from '../../journal/entry.ts';
import { make } from './dom.ts';
import { movesAt, type Tone } from './moment.ts';
import type { Run } from './run.ts';

/** A recording may name other machines, whose drawings are never requested. */
const machines = ['agentTurn', 'modelCall', 'toolCall', 'hookEvent', 'answerStream', 'hookProcess'];

const drawings = new Map<string, Promise<Element | undefined>>();

/** Loads all drawings in advance: once the session is over, there may be no server left to ask. */
export const loadDrawings = (): Promise<unknown> => Promise.all(machines.map(drawingOf));

/**
 * Returns a machine's drawing. The browser parses the response as a document, so that the page needs no right
 * to turn text into markup.
 */
function drawingOf(machine: string): Promise<Element | undefined> {
  if (!machines.includes(machine)) return Promise.resolve(undefined);
  const known = drawings.get(machine);
  if (known) return known;
  const name = machine.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  // A report contains the drawings.
  const template = document.getElementById(`diagram-${name}`) as HTMLTemplateElement | null;
  const drawn = template?.content.querySelector('svg');
  if (drawn) return Promise.resolve(drawn);
  const loading = new Promise<Element | undefined>((resolve) => {
    const request = new XMLHttpRequest();
    request.open('GET', `diagrams/${name}.svg`);
    request.responseType = 'document';
    request.addEventListener('loadend', () => {
      const drawing = request.responseXML?.documentElement;
      // The next run that shows this machine tries again.
      if (!drawing) drawings.delete(machine);
      resolve(drawing);
    });
    request.send();
  });
  drawings.set(machine, loading);
  return loading;
}

/** The space around the way that was taken, in pixels of the drawing. */
const margin = 40;

/** The drawing of one run's machine, with its current state and the path it took. */
export class Diagram {
  readonly element = make('div', {
    class: 'diagram',
    tabindex: '0',
    role: 'group',
    'aria-label': 'Diagram',
  });
  #machine: string | undefined;
  #svg: SVGElement | undefined;
  /** The width that the drawing's texts are laid out for, in pixels. */
  #drawn = 0;
  #marked = '';
  isLarger = false;

  constructor() {
    // The way taken stays in view, even when the drawing's area appears or changes its size.
    new ResizeObserver(() => this.#reveal()).observe(this.element);
  }

  zoom(): void {
    this.isLarger = !this.isLarger;
    this.#reveal();
  }

  /** Shows a run as it was at a moment. */
  async show(run: Run, moment: number, tone: Tone): Promise<void> {
    if (run.machine !== this.#machine) {
      this.#machine = run.machine;
      this.#marked = '';
      const svg = await drawingOf(run.machine);
      // Another run may have been chosen meanwhile.
      if (this.#machine !== run.machine) return;
      this.#svg = svg && (document.importNode(svg, true) as SVGElement);
      this.#drawn = Number(svg?.getAttribute('width'));
      this.element.replaceChildren(
        this.#svg ?? make('p', { class: 'hint' }, 'There is no drawing of this machine.'),
      );
    }
    if (!this.#svg) return;
    const moves = movesAt(run, moment);
    const mark = `${run.id} ${moves.length} ${tone}`;
    if (mark === this.#marked) return;
    this.#marked = mark;
    this.#mark(this.#svg, run.machine, moves, tone);
  }

  #mark(svg: SVGElement, machine: string, moves: readonly MovedEntry[], tone: Tone): void {
    for (const element of svg.querySelectorAll('.visited, .current, .taken, .latest'))
      element.classList.remove('visited', 'current', 'taken', 'latest');
    svg.dataset['tone'] = tone;
    const states = new Map(
      [...svg.querySelectorAll<SVGElement>('.state')].map((state) => [
        state.dataset['state'],
        state,
      ]),
    );
    const edges = [...svg.querySelectorAll<SVGElement>('path.edge')];
    for (const [index, { from, to }] of moves.entries()) {
      const isLast = index === moves.length - 1;
      for (const path of pathsTo(machine, to)) {
        states.get(path)?.classList.add('visited');
        if (isLast) states.get(path)?.classList.add('current');
      }
      if (from === undefined) continue;
      const edge = edgeOf(edges, `${machine}.${from}`, `${machine}.${to}`);
      if (!edge) continue;
      const { from: tail, to: head } = edge.dataset;
      const parts: (Element | null)[] = [edge, edge.nextElementSibling];
      for (const label of svg.querySelectorAll<SVGElement>('g.label'))
        if (label.dataset['from'] === tail && label.dataset['to'] === head) parts.push(label);
      for (const part of parts) {
        part?.classList.add('taken');
        part?.classList.toggle('latest', isLast);
      }
    }
    this.#reveal();
  }

  /** Shows the way that was taken as large as all of it fits or, if the reader wants it larger, its end. */
  #reveal(): void {
    const svg = this.#svg;
    const { clientWidth, clientHeight } = this.element;
    if (!svg || clientWidth === 0) return;
    svg.style.width = `${this.#drawn}px`;
    const taken = [...svg.querySelectorAll('.visited, .taken')];
    if (taken.length === 0) return;
    const way = boundsOf(taken);
    const fitting = Math.min(
      clientWidth / (way.width + margin),
      clientHeight / (way.height + margin),
    );
    if (!this.isLarger) svg.style.width = `${this.#drawn * Math.min(1, fitting)}px`;
    const current = [...svg.querySelectorAll('.current')];
    const { left, right, top, bottom } = boundsOf(this.isLarger ? current.slice(-1) : taken);
    const box = this.element.getBoundingClientRect();
    this.element.scrollLeft += (left + right - box.left - box.right) / 2;
    this.element.scrollTop += (top + bottom - box.top - box.bottom) / 2;
  }
}

/** Returns the rectangle around elements. */
function boundsOf(elements: readonly Element[]): DOMRect {
  const boxes = elements.map((element) => element.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const right = Math.max(...boxes.map((box) => box.right));
  const bottom = Math.max(...boxes.map((box) => box.bottom));
  return new DOMRect(left, top, right - left, bottom - top);
}

/** Returns the paths of a state and of the states around it, such as `alive` and `alive.running`. */
const pathsTo = (machine: string, state: string): string[] => {
  const keys = state.split('.', 8);
  return keys.map((_, index) => `${machine}.${keys.slice(0, index + 1).join('.')}`);
};

/**
 * Finds the edge between two states. An edge that leaves or enters a state around them counts too; the
 * nearest is preferred.
 */
const edgeOf = (edges: readonly SVGElement[], from: string, to: string): SVGElement | undefined =>
  edges
    .filter(({ dataset }) => isIn(from, dataset['from']) && isIn(to, dataset['to']))
    .toSorted((a, b) => nearness(b) - nearness(a))[0];

const isIn = (state: string, outer = ''): boolean =>
  state === outer || state.startsWith(`${outer}.`);

const nearness = ({ dataset }: SVGElement): number =>
  (dataset['from'] ?? '').length + (dataset['to'] ?? '').length;
