/** A value as the server sends it: in JSON, a date is a string. */
export type AsJson<Value> = Value extends Date
  ? string
  : Value extends object
    ? { readonly [Key in keyof Value]: AsJson<Value[Key]> }
    : Value;

/** Requests a path from the page's server; throws an error with the server's explanation if it fails. */
export async function asked<Value>(path: string, init?: RequestInit): Promise<AsJson<Value>> {
  const response = await fetch(path, init);
  const body = (await response.json().catch(() => ({}))) as { readonly problem?: string };
  if (!response.ok) throw new Error(body.problem ?? `the server answered ${response.status}`);
  return body as AsJson<Value>;
}
