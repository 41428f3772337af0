/** The version of this package. It is a constant because no core module reads a file next to itself. */
export const version = '0.1.0';

const numbers = /^(\d+)\.(\d+)\.(\d+)$/;

/** Whether a text is a version such as "1.2.0". */
export const isVersion = (value: unknown): value is string =>
  typeof value === 'string' && numbers.test(value);

/** Whether a version, by default that of this package, is at least `wanted`. */
export function isAtLeast(wanted: string, has = version): boolean {
  const [least, own] = [wanted, has].map((text) => numbers.exec(text)!.slice(1).map(Number));
  const at = least!.findIndex((part, index) => part !== own![index]);
  return at === -1 || own![at]! > least![at]!;
}
