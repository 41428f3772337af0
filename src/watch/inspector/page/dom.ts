/** `class`, ARIA and other attributes, and `on…` listeners; those that are undefined or false are not set. */
interface Attributes {
  readonly [name: string]:
    | string
    | number
    | boolean
    | undefined
    | ((event: Event) => void)
    | Readonly<Record<string, string | number>>;
}

/** The properties of an element, apart from its children. */
interface Properties extends Attributes {
  readonly data?: Readonly<Record<string, string | number>>;
}

/** A child that is undefined or false is left out. */
export type Child = Node | string | undefined | false;

/** Makes an element. Text is never read as markup: what is shown may come from strangers. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { data, ...properties }: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(data ?? {})) element.dataset[name] = String(value);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (typeof value === 'string' || typeof value === 'number')
      element.setAttribute(name, String(value));
    else if (typeof value === 'boolean' && name.startsWith('aria-'))
      element.setAttribute(name, String(value));
    else if (value === true) element.setAttribute(name, '');
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/** Returns the element of index.html that has this id. */
export const byId = (id: string): HTMLElement => document.getElementById(id)!;

/** Returns the element of index.html that has this tag and id. */
export const theOne = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  id: string,
): HTMLElementTagNameMap[Tag] =>
  document.querySelector<HTMLElementTagNameMap[Tag]>(`${tag}#${id}`)!;

/** The callbacks to run before the next frame. */
const asked = new Set<() => void>();

/**
 * Returns a function that schedules `draw` to be called once before the next frame, however often it is
 * called. Callbacks that are scheduled while a frame is drawn belong to that frame.
 */
export function onFrame(draw: () => void): () => void {
  return () => {
    if (asked.size === 0) requestAnimationFrame(drawAsked);
    asked.add(draw);
  };
}

function drawAsked(): void {
  for (const draw of asked) {
    draw();
    asked.delete(draw);
  }
}
