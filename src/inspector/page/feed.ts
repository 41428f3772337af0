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
  void (about ? readReport(reader, JSON.parse(about.textContent) as Numbered) : listen(reader));
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

/** A line of the journal. */
type Message =
  | { readonly about: Numbered }
  | { readonly skipped: number }
  | { readonly sent: Sent };

/** How often in a row the journal is asked for in vain, and how long each time is waited, in ms. */
const mostFailures = 3;
const pause = 500;

/**
 * Listens to the journal: what was first, then what comes. A connection that broke off is taken up
 * again after the last entry that came.
 */
async function listen(reader: Reader): Promise<void> {
  let last = 0;
  for (let failures = 0; failures <= mostFailures; failures++) {
    if (failures > 0) await new Promise((resolve) => void setTimeout(resolve, pause));
    try {
      const response = await fetch(`journal?after=${last}`);
      // Whoever is there now does not know this page.
      if (!response.ok) break;
      for await (const message of messagesOf(response)) {
        failures = 0;
        if ('skipped' in message) reader.skipped(message.skipped);
        else if ('sent' in message) {
          reader.entries(message.sent);
          ({ last } = message.sent);
        } else {
          reader.about(message.about);
          if (message.about.ended) return;
        }
      }
    } catch {
      // The next one may succeed.
    }
    reader.lost(false);
  }
  reader.lost(true);
}

async function* messagesOf({ body }: Response): AsyncGenerator<Message> {
  const chunks = body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let read = await chunks.read(); !read.done; read = await chunks.read()) {
    const lines = (rest + read.value).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as Message;
  }
}
