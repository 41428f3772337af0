import { join } from 'node:path';
import { said } from '../../base/message-of.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { findHostHooks } from '../parts/host-find.ts';
import { switchFor } from '../parts/host-levels.ts';
import { defineHooks } from './define.ts';
import { qwenEvents } from './events.ts';
import { installFile, manifestFile, qwenFolder } from './places.ts';

/** The events that are denied while it is unknown which hooks guard them. */
const needGuards = qwenEvents.guards('PreToolUse', 'PermissionRequest', 'UserPromptSubmit');

const switchKey = 'disableAllHooks';

/** Finds the hooks of settings and extensions. */
export const findHooks = (site: HookSite, system: string): FoundHooks =>
  findHostHooks(site, {
    host: qwenFolder(system),
    manifest: manifestFile,
    install: installFile,
    needGuards,
    filesOf: ({ path, manifest }, read) => {
      const hooks = manifest?.values['hooks'];
      // A string names a file of the extension.
      const named = typeof hooks === 'string' ? read(join(path, hooks), false) : undefined;
      if (named) return [{ ...named, hooks: named.values['hooks'] }];
      return manifest === undefined ? [] : [{ ...manifest, hooks, problems: [] }];
    },
    offFor: (levels, hooksOf) =>
      switchFor(levels, hooksOf, switchKey, ({ [switchKey]: word }) =>
        typeof word === 'boolean' ? word : undefined,
      ),
    switchProblems: ({ file, values, locate }) =>
      values[switchKey] === undefined || typeof values[switchKey] === 'boolean'
        ? []
        : [
            {
              file,
              ...(locate && { at: locate([switchKey]) }),
              place: switchKey,
              message: `${said(values[switchKey])}, so it was ignored`,
              fix: 'make it true or false',
            },
          ],
    define: defineHooks,
  });
