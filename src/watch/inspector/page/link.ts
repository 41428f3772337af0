/** How long the address stays as it is after a change, in ms: browsers limit how often it may change. */
const pause = 200;

let timer: ReturnType<typeof setTimeout> | undefined;
let changedAt = -pause;

/** The id in an address, as in `#call=call-1-2`; undefined if there is none. */
export const linkedCall = ({ hash }: Pick<URL, 'hash'>): string | undefined =>
  new URLSearchParams(hash.slice(1)).get('call') ?? undefined;

/** Puts a run into the address, so that a copy of the address leads to it. */
export function linkTo(id: string): void {
  clearTimeout(timer);
  const put = (): void => {
    changedAt = performance.now();
    try {
      history.replaceState(undefined, '', `#${new URLSearchParams({ call: id }).toString()}`);
    } catch {
      // The address of a page in a sandbox may be fixed.
    }
  };
  const wait = changedAt + pause - performance.now();
  if (wait > 0) timer = setTimeout(put, wait);
  else put();
}
