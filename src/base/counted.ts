/** A number of things in words, such as `1 hook` or `2 hooks`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
