/** How long the reader has to stay with a call until the address names it: browsers limit how often it may change. */
const patience = 200;

let timer: ReturnType<typeof setTimeout> | undefined;

/** The id that the address names, as in `#call=call-1-2`; undefined when it names none. */
export const linkedCall = (): string | undefined =>
  new URLSearchParams(location.hash.slice(1)).get('call') ?? undefined;

/** Has the address name a run, so that a copy of it leads there. */
export function linkTo(id: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    try {
      history.replaceState(undefined, '', `#${new URLSearchParams({ call: id }).toString()}`);
    } catch {
      // A page in a sandbox may have an address that cannot change.
    }
  }, patience);
}
