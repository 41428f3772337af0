import type { Sent } from '../history.ts';
import type { Numbered } from './view.ts';

/** The receiver of a journal. */
export interface Reader {
  about(about: Numbered): void;
  entries(sent: Sent): void;
  skipped(count: number): void;
  lost(isForGood: boolean): void;
}

/** Finds the blocks of one kind that a report contains. */
const blocksOf = (kind: string): Element[] => [
  ...document.querySelectorAll(`script[data-report="${kind}"]`),
];

/** Reads the journal from the page itself if it is a report, and otherwise from the server. */
export function follow(reader: Reader): void {
  const [about] = blocksOf('about');
  void (about ? readReport(reader, JSON.parse(about.textContent) as Numbered) : listen(reader));
}

/** Hands over one block at a time, so that the page can show its progress. */
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

/** A line of the server's response. */
type Message =
  | { readonly about: Numbered }
  | { readonly skipped: number }
  | { readonly sent: Sent };

/** How many requests may fail in a row, and how long to wait before each retry, in ms. */
const mostFailures = 3;
const pause = 500;

/**
 * Receives the journal: first what has happened so far, then new entries as they come. After a broken
 * connection, it resumes with the entry after the last one received.
 */
async function listen(reader: Reader): Promise<void> {
  let last = 0;
  for (let failures = 0; failures <= mostFailures; failures++) {
    if (failures > 0) await new Promise((resolve) => void setTimeout(resolve, pause));
    try {
      const response = await fetch(`journal?after=${last}`);
      // Whatever answers here now does not know this page.
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
      // The next attempt may succeed.
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
