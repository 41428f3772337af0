/** Nothing that comes from outside has it. */
const isHtml = Symbol('HTML');

/** A piece of HTML, in which everything that was put in is escaped. */
export interface Html {
  readonly [isHtml]: true;
  readonly text: string;
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
  if (typeof part === 'object') return isHtml in part ? part.text : part.map(textOf).join('');
  return String(part).replaceAll(/[&<>"']/g, (sign) => escapes[sign]!);
}

/** Makes HTML of a template. */
export const html = (pieces: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  [isHtml]: true,
  text: pieces.map((piece, at) => piece + (at < parts.length ? textOf(parts[at]) : '')).join(''),
});
