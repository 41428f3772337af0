/** A piece of HTML, in which everything that was put in is escaped. */
export class Html {
  readonly text: string;

  /** Called by `html` only. */
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | undefined | readonly Part[];

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function textOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return String(part).replaceAll(/[&<>"']/g, (sign) => escapes[sign]!);
}

/** Makes HTML of a template. */
export const html = (pieces: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(
    pieces.map((piece, at) => piece + (at < parts.length ? textOf(parts[at]) : '')).join(''),
  );
