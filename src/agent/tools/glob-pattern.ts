import picomatch from 'picomatch';

/** A regular expression for a glob pattern over paths with forward slashes; names with a leading dot match too. */
export function globPattern(pattern: string, options: { caseSensitive: boolean }): RegExp {
  return picomatch.makeRe(pattern, { dot: true, nocase: !options.caseSensitive });
}

/** The same, but a pattern without a slash matches the last name of a path, in whatever folder. */
export function namePattern(pattern: string): RegExp {
  const anywhere = pattern.includes('/') ? pattern : `**/${pattern}`;
  return globPattern(anywhere, { caseSensitive: true });
}
