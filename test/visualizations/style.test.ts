import { describe, expect, test } from 'vitest';
import { style, themes } from '../../visualizations/style.ts';

describe.each(Object.entries(themes))('the %s theme', (_, theme) => {
  const { ground, paper, chip } = theme;

  test('the colours of a drawing make every text legible', () => {
    const texts = [
      [theme.ink, ground],
      [theme.ink, paper],
      [theme.words, ground],
      [theme.hush, ground],
      [theme.hush, paper],
      [theme.chipInk, chip],
      [theme.ink, theme.wellSoft],
      [theme.ink, theme.deniedSoft],
      [theme.ink, theme.stoppedSoft],
      [theme.ink, theme.failedSoft],
    ] as const;
    expect(texts.filter(([text, behind]) => contrast(text, behind) < 4.5)).toEqual([]);
  });

  test('the colours of a drawing make every line and border visible', () => {
    const ends = [theme.well, theme.denied, theme.stopped, theme.failed];
    const lines = [theme.line, theme.rim, theme.fold, theme.usual, ...ends];
    expect(lines.filter((line) => contrast(line, ground) < 3)).toEqual([]);
  });
});

test('the dark theme applies only to readers who prefer it', () => {
  const [light = '', dark = ''] = style.split('@media (prefers-color-scheme: dark)');
  for (const colour of Object.values(themes.light)) expect(light).toContain(colour);
  for (const colour of Object.values(themes.dark)) expect(dark).toContain(colour);
});

/** The contrast of two colours as defined by WCAG 2, from 1 to 21. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
