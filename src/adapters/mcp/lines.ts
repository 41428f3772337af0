const lineFeed = 10;

/**
 * The lines of a byte stream, each as it came and with its line feed; what follows the last line feed is a
 * line too.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      const rest = chunk.subarray(start, end + 1);
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      begun = [];
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
  }
  if (begun.length > 0) yield Buffer.concat(begun);
}

/**
 * Makes each line begin as one: what follows a line that was cut off, because its writer ended within it, does
 * not become a part of it.
 */
export function onOwnLines(write: (line: Buffer) => void): (line: Buffer) => void {
  let isWithin = false;
  return (line) => {
    write(isWithin ? Buffer.concat([Buffer.of(lineFeed), line]) : line);
    isWithin = line.at(-1) !== lineFeed;
  };
}
