import { storyOf } from '../../journal/story.ts';
import { accountAt } from './account-at.ts';
import { hasBegun, toneOfStory } from './banner.ts';
import { commandOf } from './command.ts';
import { byId, make, onFrame, theOne } from './dom.ts';
import { Diagram } from './diagram.ts';
import { factsOf } from './facts.ts';
import { clock, duration, words } from './format.ts';
import { markHits } from './highlight.ts';
import { movesAt, runTone, statusAt, type Tone, workOf } from './moment.ts';
import { classOf, kindOf, nameOf } from './names.ts';
import { isCall, partsOf, type Row, type Run, timesOf } from './run.ts';
import { subjectOf } from './subject.ts';
import type { View } from './view.ts';

/** The most parts shown of a call. A call with more hooks than this is rare, and its facts list them all. */
const mostParts = 200;

type Tab = 'facts' | 'diagram';

/**
 * Everything about the chosen row: its parts on a common time axis, its facts, and the diagram of one part.
 */
export class Detail {
  readonly #view: View;
  readonly #box = byId('detail');
  readonly #diagram = new Diagram();
  readonly #facts = make('div', {
    class: 'facts',
    id: 'facts',
    tabindex: '0',
    role: 'group',
    'aria-label': 'Facts',
  });
  readonly #head = make('header', { class: 'call' });
  readonly #parts = make('div', {
    class: 'parts',
    role: 'group',
    'aria-label': 'Machines of this call',
  });
  readonly #caption = make('p', { class: 'caption' });
  readonly #tabs = make(
    'div',
    { class: 'tabs', role: 'tablist', 'aria-label': 'What is shown' },
    tab('facts', 'Facts'),
    tab('diagram', 'Diagram'),
  );
  readonly draw: () => void;
  #drawn = '';
  #drawnRow: Row | undefined;
  /** What the reader has opened or closed, by run. */
  readonly #opened = new Map<string, boolean>();

  constructor(view: View) {
    this.#view = view;
    this.draw = onFrame(() => this.#draw());
    this.#box.dataset['tab'] = 'facts';
    this.#box.append(
      make(
        'div',
        { class: 'panes' },
        this.#head,
        this.#parts,
        this.#tabs,
        this.#facts,
        make('div', { class: 'drawing', id: 'drawing' }, this.#caption, this.#diagram.element),
      ),
    );
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

  /** Shows the facts or the diagram when they share a place. */
  switchTab(name: Tab = this.#box.dataset['tab'] === 'facts' ? 'diagram' : 'facts'): void {
    this.#box.dataset['tab'] = name;
    for (const each of this.#tabs.querySelectorAll('button'))
      each.setAttribute('aria-selected', String(each.dataset['tab'] === name));
    this.draw();
  }

  /** Shows the whole diagram, or a size at which all of it can be read. */
  zoom(): void {
    this.#diagram.zoom();
    this.draw();
  }

  /** Moves the focus to the previous or next machine of the call. */
  step(by: number): void {
    const { selected, focus } = this.#view;
    if (!selected || !focus || selected.kind === 'session') return;
    const parts = [...partsOf(selected)];
    const next = parts[Math.min(parts.length - 1, Math.max(0, parts.indexOf(focus) + by))];
    this.#view.look(next);
  }

  /** Whether there is no room for the diagram beside the facts. */
  get isDiagramHidden(): boolean {
    return getComputedStyle(this.#box.querySelector('.drawing')!).display === 'none';
  }

  #clicked(target: Element): void {
    const button = target.closest('button');
    if (!button) return;
    const { tab: name, focus, seek, open, row, zoom, copy } = button.dataset;
    const { runs } = this.#view;
    if (name === 'facts' || name === 'diagram') this.switchTab(name);
    else if (zoom !== undefined) this.zoom();
    else if (copy !== undefined) void this.#copy(button);
    else if (focus !== undefined) {
      this.#opened.delete(focus);
      this.#view.look(runs.byId.get(focus), button.closest('.facts') !== null);
    } else if (seek !== undefined) this.#view.seek(Number(seek));
    else if (open !== undefined) theOne('dialog', open).showModal();
    else if (row !== undefined) this.#view.choose(runs.byId.get(row), true);
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
      this.#facts.replaceChildren(
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
    if (!isSession) this.#drawDiagram(selected, focus);
  }

  #drawDiagram(selected: Row, focus: Run): void {
    const { moment } = this.#view;
    const tone = runTone(focus, moment);
    const state = movesAt(focus, moment).at(-1)?.to;
    this.#caption.replaceChildren(
      make('strong', {}, focus.machine),
      make('span', { class: 'caption-name' }, focus === selected ? '' : focus.name),
      ...(state === undefined ? [] : [make('span', { class: `badge ${tone}` }, state)]),
      make('span', { class: 'grow' }),
      make(
        'button',
        { type: 'button', class: 'quiet', data: { zoom: '' }, 'aria-keyshortcuts': 'z' },
        this.#diagram.isWhole ? 'Larger' : 'Whole',
      ),
    );
    void this.#diagram.show(focus, moment, tone);
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
      make('p', { class: 'subject' }, subjectOf(selected, moment)),
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
    const facts = factsOf(selected, {
      moment,
      focus,
      about,
      runs,
      wanted,
      isOpen: (id, otherwise) => this.#opened.get(id) ?? otherwise,
    });
    this.#facts.replaceChildren(...facts);
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

const tab = (name: Tab, text: string): HTMLElement =>
  make(
    'button',
    {
      type: 'button',
      role: 'tab',
      'aria-selected': name === 'facts',
      'aria-controls': name === 'facts' ? 'facts' : 'drawing',
      data: { tab: name },
    },
    text,
  );
