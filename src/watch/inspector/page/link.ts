/**
 * How long the reader must stay on a call before the address names it, in ms: browsers limit how often it may
 * change.
 */
const patience = 200;

let timer: ReturnType<typeof setTimeout> | undefined;

/** The id in an address, as in `#call=call-1-2`; undefined if there is none. */
export const linkedCall = ({ hash }: Pick<URL, 'hash'>): string | undefined =>
  new URLSearchParams(hash.slice(1)).get('call') ?? undefined;

/** Puts a run into the address, so that a copy of the address leads to it. */
export function linkTo(id: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    try {
      history.replaceState(undefined, '', `#${new URLSearchParams({ call: id }).toString()}`);
    } catch {
      // The address of a page in a sandbox may be fixed.
    }
  }, patience);
}
