/** A line of a file, numbered from 1. */
export interface Line {
  readonly number: number;
  /** Absent if the line is too long to be kept. */
  readonly text?: string;
  /** Whether the file ends in the middle of this line. */
  readonly isTorn: boolean;
}

/** Splits a stream into lines. No more than one line is kept in memory, and of it at most `longest` bytes. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  longest: number,
): AsyncGenerator<Line> {
  let number = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer): void => {
    length += part.length;
    if (length <= longest) parts.push(part);
    else parts = [];
  };
  const line = (isTorn: boolean): Line => {
    const text = length <= longest ? Buffer.concat(parts).toString('utf8') : undefined;
    parts = [];
    length = 0;
    return { number: number++, isTorn, ...(text !== undefined && { text }) };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end; (end = chunk.indexOf(10, start)) !== -1; start = end + 1) {
      take(chunk.subarray(start, end));
      yield line(false);
    }
    take(chunk.subarray(start));
  }
  if (length > 0) yield line(true);
}
