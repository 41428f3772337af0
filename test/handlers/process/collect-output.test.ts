import { expect, test } from 'vitest';
import { OutputWindow } from '../../../src/handlers/process/collect-output.ts';

function windowOf(limit: number, text: string, chunkSize: number): OutputWindow {
  const window = new OutputWindow(limit);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkSize) {
    window.add(bytes.subarray(at, at + chunkSize));
  }
  return window;
}

test.each([1, 2, 3, 7, 1000])(
  'an output window gives the same text for chunks of %i bytes',
  (size) => {
    const text = 'a€😀ö'.repeat(8);
    expect(windowOf(80, text, size).text()).toBe(text);
    expect(windowOf(14, text, size).text()).toBe('a€\n[… 66 bytes left out …]\n😀ö');
  },
);

test('an output window says whether it has kept everything', () => {
  expect(windowOf(10, '0123456789', 3).truncated).toBe(false);
  expect(windowOf(4, '0123456789', 3).truncated).toBe(true);
});
