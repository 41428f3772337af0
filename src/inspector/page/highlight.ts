/** So many hits are marked: more of them tell a reader nothing more. */
const mostHits = 2_000;

/** Marks words in an element. The document stays as it is: a browser that cannot do so marks nothing. */
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
