/** What the server sends is JSON, in which a time is a text. */
export type AsJson<Value> = Value extends Date
  ? string
  : Value extends object
    ? { readonly [Key in keyof Value]: AsJson<Value[Key]> }
    : Value;

/** Asks the page's server; what keeps it from answering is an error that says so. */
export async function asked<Value>(path: string, init?: RequestInit): Promise<AsJson<Value>> {
  const response = await fetch(path, init);
  const body = (await response.json().catch(() => ({}))) as { readonly problem?: string };
  if (!response.ok) throw new Error(body.problem ?? `the server answered ${response.status}`);
  return body as AsJson<Value>;
}
