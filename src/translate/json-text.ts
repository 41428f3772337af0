/** A value as JSON text, or the name of its type when it has no JSON form. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
