/** A promise that is settled from outside; only the first call of `settle` counts. */
export interface Later<Value> {
  readonly promise: Promise<Value>;
  settle(value: Value): void;
}

export function later<Value>(): Later<Value> {
  let settle!: (value: Value) => void;
  const promise = new Promise<Value>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}
