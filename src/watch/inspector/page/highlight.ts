/** How many hits are marked; more of them would not help a reader. */
const mostHits = 2_000;

/**
 * Marks words in an element without changing the document. In a browser that does not support this, nothing
 * is marked.
 */
export function markHits(element: Element, words: readonly string[]): void {
  if (!('highlights' in CSS)) return;
  const ranges = words.length === 0 ? [] : rangesOf(element, words);
  if (ranges.length === 0) CSS.highlights.delete('hit');
  else CSS.highlights.set('hit', new Highlight(...ranges));
}

function rangesOf(element: Element, words: readonly string[]): Range[] {
  const pattern = new RegExp(words.map(literal).join('|'), 'giu');
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() && ranges.length < mostHits) {
    const node = texts.currentNode as Text;
    for (const { index, 0: hit } of node.data.matchAll(pattern)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + hit.length);
      ranges.push(range);
    }
  }
  return ranges;
}

const literal = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
