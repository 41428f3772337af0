import type { Row } from './run.ts';
import { searchText, wordsOf } from './search-text.ts';

/** The criteria of a filter; an empty text matches everything. */
export interface Wanted {
  readonly text: string;
  readonly event: string;
  readonly tool: string;
  readonly decision: string;
}

/** Selects calls by words, hook event, tool and decision. */
export class Filter {
  wanted: Wanted = { text: '', event: '', tool: '', decision: '' };
  /** The words of the text. */
  words: readonly string[] = [];

  get isOn(): boolean {
    return Object.values(this.wanted).some((text) => text !== '');
  }

  set(wanted: Wanted): void {
    this.wanted = wanted;
    this.words = wordsOf(wanted.text);
  }

  /** Returns the matching rows, each below its session and its turn. */
  rowsOf(rows: readonly Row[]): readonly Row[] {
    if (!this.isOn) return rows;
    const taken: Row[] = [];
    let above: Row[] = [];
    for (const row of rows) {
      if (row.kind !== 'call') {
        above = above.filter(({ level }) => level < row.level);
        above.push(row);
      } else if (this.#takes(row)) {
        taken.push(...above, row);
        above = [];
      }
    }
    return taken;
  }

  #takes(row: Row): boolean {
    const { event, tool, decision } = this.wanted;
    if (event !== '' && !row.events.has(event)) return false;
    if (tool !== '' && !(row.machine === 'toolCall' && row.name === tool)) return false;
    if (decision !== '' && !row.decisions.has(decision)) return false;
    return this.words.length === 0 || this.words.every((word) => searchText(row).includes(word));
  }
}
