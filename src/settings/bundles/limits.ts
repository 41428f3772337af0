/**
 * The limits of a bundle. A larger folder is not one of hooks, and everyone who runs its hooks reads all of
 * it.
 */
export const most = {
  /** All files together, in bytes. */
  bytes: 16 * 1024 * 1024,
  files: 500,
  /** Levels of nested folders. */
  depth: 8,
  /** The length of a path in the bundle, in characters. */
  path: 200,
  manifestBytes: 256 * 1024,
  signatureBytes: 16 * 1024,
} as const;
