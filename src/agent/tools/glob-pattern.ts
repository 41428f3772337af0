import picomatch from 'picomatch';

/**
 * Returns a regular expression for a glob pattern over paths with forward slashes; names with a leading dot
 * match too.
 */
export function globPattern(pattern: string, options: { caseSensitive: boolean }): RegExp {
  return picomatch.makeRe(pattern, { dot: true, nocase: !options.caseSensitive });
}

/** Like `globPattern`, but a pattern without a slash matches the last name of a path in any folder. */
export function namePattern(pattern: string): RegExp {
  const anywhere = pattern.includes('/') ? pattern : `**/${pattern}`;
  return globPattern(anywhere, { caseSensitive: true });
}
