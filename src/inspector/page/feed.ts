import type { Sent } from '../history.ts';
import type { Numbered } from './view.ts';

/** Who takes the journal. */
export interface Reader {
  about(about: Numbered): void;
  entries(sent: Sent): void;
  skipped(count: number): void;
  lost(isForGood: boolean): void;
}

/** What a report has in it, of one kind. */
const blocksOf = (kind: string): Element[] => [
  ...document.querySelectorAll(`script[data-report="${kind}"]`),
];

/** Takes the journal out of the page itself if it is a report, and else listens to it. */
export function follow(reader: Reader): void {
  const [about] = blocksOf('about');
  if (about) void readReport(reader, JSON.parse(about.textContent) as Numbered);
  else listen(reader);
}

/** Hands over one block after the other, so that the page shows how far it is. */
async function readReport(reader: Reader, about: Numbered): Promise<void> {
  reader.about({ ...about, ended: false });
  if (about.first > 1) reader.skipped(about.first - 1);
  for (const block of blocksOf('entries')) {
    const { textContent } = block;
    block.remove();
    reader.entries(JSON.parse(textContent) as Sent);
    await new Promise((resolve) => void setTimeout(resolve));
  }
  reader.about(about);
}

/**
 * Listens to the journal: what was first, then what comes. The browser connects again by itself, and
 * goes on after the last entry it has.
 */
function listen(reader: Reader): void {
  const source = new EventSource('journal');
  let failures = 0;
  let isOver = false;
  source.addEventListener('about', ({ data }: MessageEvent<string>) => {
    failures = 0;
    const about = JSON.parse(data) as Numbered;
    reader.about(about);
    isOver = about.ended;
    if (isOver) source.close();
  });
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    reader.entries(JSON.parse(data) as Sent);
  });
  source.addEventListener('skipped', ({ data }: MessageEvent<string>) =>
    reader.skipped(Number(data)),
  );
  source.addEventListener('error', () => {
    if (isOver) return;
    if (++failures > 3) source.close();
    reader.lost(source.readyState === EventSource.CLOSED);
  });
}
