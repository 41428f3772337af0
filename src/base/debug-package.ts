/** The parts of the package `debug` that are used; it brings no types. */
export interface DebugPackage {
  (namespace: string): DebugLog;
  /** Logs the namespaces that a list in the form of `DEBUG` names, and no others. */
  enable(namespaces: string): void;
}

export interface DebugLog {
  (format: string, ...values: readonly unknown[]): void;
  readonly enabled: boolean;
}

/**
 * Loads the package, which only somebody who sets `DEBUG` needs. It is required, not imported: bundled into an
 * ES module, it would end the program that asks it for a line.
 *
 * @throws where it is not installed, above all beside an app that was bundled
 */
export function loadDebug(): DebugPackage {
  // In a CommonJS bundle `import.meta.url` is missing, in an ES module `__filename`.
  const own = (import.meta as { readonly url?: string }).url ?? __filename;
  const { createRequire } = process.getBuiltinModule('node:module');
  return createRequire(own)('debug') as DebugPackage;
}
