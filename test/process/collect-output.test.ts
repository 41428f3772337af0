import { expect, test } from 'vitest';
import { OutputWindow } from '../../src/process/collect-output.ts';

function windowOf(limit: number, text: string, chunkSize: number): OutputWindow {
  const window = new OutputWindow(limit);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkSize) {
    window.add(bytes.subarray(at, at + chunkSize));
  }
  return window;
}

test.each([1, 2, 3, 7, 1000])('chunks of %i bytes give the same text', (size) => {
  const text = 'a€😀ö'.repeat(8);
  expect(windowOf(80, text, size).text()).toBe(text);
  expect(windowOf(14, text, size).text()).toBe('a€\n[… 66 bytes left out …]\n😀ö');
});

test('whether all is kept is known', () => {
  expect(windowOf(10, '0123456789', 3).truncated).toBe(false);
  expect(windowOf(4, '0123456789', 3).truncated).toBe(true);
});
