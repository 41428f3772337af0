/** What a bundle may be at most: more is no folder of hooks, and whoever runs hooks reads all of it. */
export const most = {
  /** All files together, in bytes. */
  bytes: 16 * 1024 * 1024,
  files: 500,
  /** Folders in folders. */
  depth: 8,
  /** A path in the bundle, in characters. */
  path: 200,
  manifestBytes: 256 * 1024,
  signatureBytes: 16 * 1024,
} as const;
