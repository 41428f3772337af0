import { resolve } from 'node:path';
import { currentFolder } from '../../base/surroundings.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { cedarEngine } from './cedar-engine.ts';
import { loadCedar } from './cedar-package.ts';
import { readPolicies, readText } from '../../settings/files/policy-files.ts';
import { judgeRequests, type PolicyVerdict } from './engine.ts';
import { policyRequests, type PolicyEvent } from './policy-requests.ts';
import { asMapped } from './mapped-request.ts';

/** Judges an event by a hook's Cedar policies, as their files are now. */
export async function judgeByCedar(
  hook: HookDefinition,
  event: PolicyEvent,
): Promise<PolicyVerdict | undefined> {
  const cwd = typeof event['cwd'] === 'string' ? event['cwd'] : currentFolder();
  const cedar = await loadCedar();
  const engine = cedarEngine(cedar, readPolicies(hook, cwd), {
    ...(hook.entities !== undefined && {
      entities: readText(resolve(cwd, hook.entities)),
    }),
    denies: hook.default === 'deny',
  });
  const requests = policyRequests(event);
  return judgeRequests(
    engine,
    hook.request === undefined ? requests : asMapped(requests, hook.request),
  );
}
