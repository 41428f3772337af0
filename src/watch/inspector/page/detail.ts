import { storyOf } from '../../journal/story.ts';
import { accountAt } from './account-at.ts';
import { hasBegun, toneOfStory } from './banner.ts';
import { commandOf } from './command.ts';
import { byId, make, onFrame, theOne } from './dom.ts';
import { Diagram } from './diagram.ts';
import { factsOf } from './facts.ts';
import { clock, duration, words } from './format.ts';
import { markHits } from './highlight.ts';
import { kept } from './kept.ts';
import { runTone, statusAt, type Tone, workOf } from './moment.ts';
import { classOf, kindOf, nameOf } from './names.ts';
import { isCall, partsOf, type Row, type Run, timesOf } from './run.ts';
import { givenOf } from './subject.ts';
import type { View } from './view.ts';

/** The most parts shown of a call. A call with more hooks than this is rare, and its facts list them all. */
const mostParts = 200;

/** The key under which the browser stores whether the drawing is open. */
const drawingKey = 'hookmachine-drawing';

const storedDrawing = (): unknown => kept(() => sessionStorage.getItem(drawingKey));

/**
 * Everything about the chosen row: its parts on a common time axis, its facts, and the way that one part's
 * machine took, with the drawing of that machine on demand.
 */
export class Detail {
  readonly #view: View;
  readonly #box = byId('detail');
  readonly #diagram = new Diagram();
  readonly #ending = make('div');
  readonly #zoom = make(
    'button',
    { type: 'button', class: 'quiet', data: { zoom: '' }, 'aria-keyshortcuts': 'z' },
    zoomText,
  );
  readonly #drawing = make(
    'details',
    { class: 'drawing' },
    make('summary', { 'aria-keyshortcuts': 'd' }, 'Drawing of the machine'),
    this.#zoom,
    this.#diagram.element,
  );
  readonly #rest = make('div');
  readonly #facts = make(
    'div',
    { class: 'facts', tabindex: '0', role: 'group', 'aria-label': 'Facts' },
    this.#ending,
    this.#drawing,
    this.#rest,
  );
  readonly #head = make('header', { class: 'call' });
  readonly #parts = make('div', {
    class: 'parts',
    role: 'group',
    'aria-label': 'Machines of this call',
  });
  readonly draw: () => void;
  #drawn = '';
  #drawnRow: Row | undefined;
  /** What the reader has opened or closed, by run. */
  readonly #opened = new Map<string, boolean>();

  constructor(view: View) {
    this.#view = view;
    this.draw = onFrame(() => this.#draw());
    this.#box.append(make('div', { class: 'panes' }, this.#head, this.#parts, this.#facts));
    this.#drawing.open = storedDrawing() === 'open';
    this.#drawing.addEventListener('toggle', () => {
      const state = this.#drawing.open ? 'open' : 'closed';
      // This also happens when the page opens, which must not scroll.
      if (state === 'open' && storedDrawing() !== state) this.#openDrawing();
      kept(() => sessionStorage.setItem(drawingKey, state));
      this.draw();
    });
    this.#box.addEventListener('click', ({ target }) => this.#clicked(target as Element));
    // The `toggle` event does not bubble.
    this.#box.addEventListener(
      'toggle',
      ({ target }) => {
        const { dataset, open } = target as HTMLDetailsElement;
        if (dataset['run'] !== undefined) this.#opened.set(dataset['run'], open);
      },
      true,
    );
  }

  /** Opens or closes the drawing. */
  toggleDrawing(): void {
    this.#drawing.open = !this.#drawing.open;
  }

  /** Shows the drawing at its full size, or all of the way that was taken. */
  zoom(): void {
    this.#diagram.zoom();
    this.#zoom.textContent = this.#diagram.isLarger ? 'Smaller' : zoomText;
    this.#openDrawing();
  }

  #openDrawing(): void {
    this.#drawing.open = true;
    this.#drawing.scrollIntoView({ block: 'nearest' });
  }

  /** Moves the focus to the previous or next machine of the call. */
  step(by: number): void {
    const { selected, focus } = this.#view;
    if (!selected || !focus || selected.kind === 'session') return;
    const parts = [...partsOf(selected)];
    const next = parts[Math.min(parts.length - 1, Math.max(0, parts.indexOf(focus) + by))];
    this.#view.look(next);
  }

  #clicked(target: Element): void {
    const button = target.closest('button');
    if (!button) return;
    const { focus, draw, seek, open, row, zoom, copy } = button.dataset;
    const { runs } = this.#view;
    if (zoom !== undefined) this.zoom();
    else if (copy !== undefined) void this.#copy(button);
    else if (focus !== undefined) {
      this.#opened.delete(focus);
      this.#view.look(runs.byId.get(focus));
    } else if (draw !== undefined) this.#show(runs.byId.get(draw));
    else if (seek !== undefined) this.#view.seek(Number(seek));
    else if (open !== undefined) theOne('dialog', open).showModal();
    else if (row !== undefined) this.#view.choose(runs.byId.get(row), true);
  }

  /** Shows the drawing of a part's machine. */
  #show(part: Run | undefined): void {
    this.#view.look(part, true);
    this.#openDrawing();
    this.#drawing.querySelector('summary')!.focus();
  }

  /** Copies the command. If the browser forbids it, the reader can copy it by hand. */
  async #copy(button: HTMLButtonElement): Promise<void> {
    const { selected, focus, about } = this.#view;
    const command = selected && focus && commandOf(selected, focus, about);
    if (command === undefined) return;
    try {
      await navigator.clipboard.writeText(command);
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = copyText), 1_500);
    } catch {
      const text = byId('command');
      text.textContent = command;
      theOne('dialog', 'command-dialog').showModal();
      getSelection()?.selectAllChildren(text);
    }
  }

  #draw(): void {
    const { selected, focus, moment, about, wanted } = this.#view;
    this.#box.classList.toggle('nothing', !selected);
    if (!selected || !focus) {
      this.#ending.replaceChildren();
      this.#rest.replaceChildren(
        make('p', { class: 'hint' }, 'Choose a call to see what its hooks did.'),
      );
      return;
    }
    const isSession = selected.kind === 'session';
    this.#box.classList.toggle('plain', isSession);
    const known = moment === Infinity ? '' : timesOf(selected).filter((at) => at <= moment).length;
    const drawn = [
      selected.id,
      focus.id,
      known,
      selected.version,
      about.payloads,
      about.title,
      selected.at <= moment,
      ...wanted,
    ].join(' ');
    const isNew = drawn !== this.#drawn;
    // A running call grows from frame to frame.
    if (isNew || selected.end === undefined || moment !== Infinity) this.#drawParts(selected);
    if (isNew) {
      this.#drawn = drawn;
      this.#drawHead(selected, focus);
      this.#drawFacts(selected);
      markHits(this.#box, wanted);
    }
    if (!isSession && this.#drawing.open)
      void this.#diagram.show(focus, moment, runTone(focus, moment));
  }

  #drawHead(selected: Row, focus: Run): void {
    const { moment, about } = this.#view;
    const status = statusAt(selected, moment);
    const trail: HTMLElement[] = [];
    const add = (run: Run): void => {
      const name = `${kindOf(run)} ${nameOf(run)}`;
      trail.unshift(make('button', { type: 'button', class: 'link', data: { row: run.id } }, name));
    };
    for (let at = selected.parent; at; at = at.parent) add(at);
    if (selected.session) add(selected.session);
    const command = commandOf(selected, focus, about);
    this.#head.replaceChildren(
      make('nav', { class: 'trail', 'aria-label': 'Belongs to' }, ...trail),
      make(
        'h2',
        {},
        make('small', {}, kindOf(selected)),
        make('span', { class: 'call-name' }, nameOf(selected)),
        selected.kind !== 'session' &&
          make('span', { class: `badge big ${toneOfRow(selected, moment)}` }, words(status)),
        make('span', { class: 'grow' }),
        command !== undefined &&
          make(
            'button',
            { type: 'button', class: 'quiet', title: command.slice(0, 400), data: { copy: '' } },
            copyText,
          ),
      ),
      make('p', { class: 'subject' }, givenOf(selected, moment)),
      make(
        'p',
        { class: 'when' },
        [
          clock(selected.at),
          selected.end !== undefined && duration(selected.end - selected.at),
          selected.started?.callId !== undefined && `id ${selected.started.callId}`,
        ]
          .filter((part) => typeof part === 'string')
          .join('  ·  '),
      ),
    );
  }

  #drawFacts(selected: Row): void {
    const { scrollTop } = this.#facts;
    const { moment, focus, about, runs, wanted } = this.#view;
    const focused =
      document.activeElement?.closest<HTMLElement>('.facts [data-run]')?.dataset['run'];
    const { ending, rest } = factsOf(selected, {
      moment,
      focus,
      about,
      runs,
      wanted,
      isOpen: (id, otherwise) => this.#opened.get(id) ?? otherwise,
    });
    this.#ending.replaceChildren(...ending);
    this.#rest.replaceChildren(...rest);
    // What the reader is looking at stays where it is.
    this.#facts.scrollTop = this.#drawnRow === selected ? scrollTop : 0;
    this.#drawnRow = selected;
    if (focused !== undefined)
      this.#facts
        .querySelector<HTMLElement>(`[data-run="${CSS.escape(focused)}"] :is(summary, button)`)
        ?.focus();
  }

  /** Scrolls to the facts of the part in focus. */
  reveal(): void {
    const part = this.#facts.querySelector('details.focus') ?? this.#facts.querySelector('.focus');
    if (!part) return;
    const { top } = part.getBoundingClientRect();
    const box = this.#facts.getBoundingClientRect();
    // Only its beginning must be visible: a hook's streams may be longer than the page.
    if (top < box.top || top > box.bottom - box.height / 3)
      this.#facts.scrollTop += top - box.top - 12;
  }

  #drawParts(selected: Row): void {
    const { focus, moment, now } = this.#view;
    if (selected.kind === 'session') return this.#parts.replaceChildren();
    const end = Math.max(selected.end ?? now, selected.at + 1);
    const length = end - selected.at;
    const percent = (at: number): string =>
      `${Math.min(100, Math.max(0, ((at - selected.at) / length) * 100))}%`;
    const bar = (kind: string, from: number, to: number): HTMLElement => {
      const element = make('i', { class: kind });
      element.style.left = percent(from);
      element.style.width = `calc(${percent(Math.max(from, to))} - ${percent(from)})`;
      return element;
    };
    const buttons: HTMLElement[] = [];
    for (const part of partsOf(selected)) {
      if (buttons.length >= mostParts) break;
      const tone = runTone(part, moment);
      const until = Math.min(part.end ?? now, Math.max(part.at, moment));
      const track = make('span', { class: 'part-track' });
      if (part.at <= moment) {
        if (part.machine === 'hookProcess') track.append(bar(`hook ${tone}`, part.at, until));
        else {
          track.append(bar('whole', part.at, until));
          if (isCall(part))
            for (const [from, to = until] of workOf(part))
              track.append(bar(`work ${part.machine}`, from, Math.max(from, Math.min(to, until))));
        }
      }
      buttons.push(
        make(
          'button',
          {
            type: 'button',
            class: `part ${classOf(part)} ${tone}`,
            'aria-pressed': part === focus,
            data: { focus: part.id },
          },
          make(
            'span',
            { class: 'part-name' },
            make('i', { class: `dot ${tone}` }),
            make('span', {}, part === selected ? `${kindOf(part)} ${nameOf(part)}` : part.name),
          ),
          track,
          make('span', { class: 'part-took' }, part.at <= moment ? duration(until - part.at) : ''),
        ),
      );
    }
    const { activeElement } = document;
    const held = this.#parts.contains(activeElement)
      ? (activeElement as HTMLElement).dataset['focus']
      : undefined;
    this.#parts.replaceChildren(...buttons);
    if (held !== undefined)
      this.#parts.querySelector<HTMLElement>(`[data-focus="${CSS.escape(held)}"]`)?.focus();
  }
}

/** A row has the tone of its story. */
const toneOfRow = (row: Row, moment: number): Tone =>
  hasBegun(row, moment) ? toneOfStory(storyOf(accountAt(row, moment, false))) : 'later';

const copyText = 'Copy as command';

const zoomText = 'Larger';
