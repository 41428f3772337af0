/** Whether this version of Node.js runs TypeScript itself. */
export const runsTypeScript = (): boolean =>
  'typescript' in process.features && Boolean(process.features.typescript);
