/**
 * A name that every object inherits, as `constructor` is: a table that is asked for it must not answer. Where
 * that happens is noted, whatever the code then does with it.
 */
export const inheritedName = 'inheritedname';

/** Returns the places in our code that asked an object for the inherited name while something ran. */
export async function placesThatInherit(run: () => unknown): Promise<string[]> {
  const places = new Set<string>();
  // oxlint-disable-next-line no-extend-native -- this is what is tested, and it is undone
  Object.defineProperty(Object.prototype, inheritedName, {
    configurable: true,
    get() {
      const lines = String(new Error('asked').stack).split('\n').slice(2);
      const place = /\/((?:src|machines)\/\S+?):(\d+):\d+/.exec(lines[0] ?? '');
      if (place) places.add(`${place[1]}:${place[2]}`);
      return undefined;
    },
    // It can be set like any other.
    set(this: object, value: unknown) {
      Object.defineProperty(this, inheritedName, {
        value,
        configurable: true,
        enumerable: true,
        writable: true,
      });
    },
  });
  try {
    await run();
  } finally {
    Reflect.deleteProperty(Object.prototype, inheritedName);
  }
  return [...places].toSorted();
}
