import { isRecord } from '../protocol/output.ts';

/**
 * Whether LLxprt has an extension enabled for a project. `entry` is its entry in LLxprt's
 * `extension-enablement.json`, whose rules read `/folder/`, `/folder/*` (with all below it), or
 * either after a `!` that disables; the last one that fits the project counts.
 */
export function isExtensionEnabled(entry: unknown, project: string): boolean {
  const rules = isRecord(entry) && Array.isArray(entry['overrides']) ? entry['overrides'] : [];
  const rule = rules
    .filter((one) => typeof one === 'string')
    .findLast((one) => fits(one.replace(/^!/, ''), `${project}/`.replace('//', '/')));
  return !rule?.startsWith('!');
}

const fits = (folder: string, project: string): boolean =>
  folder.endsWith('*') ? project.startsWith(folder.slice(0, -1)) : project === folder;
