import { onDemand } from '../../base/on-demand.ts';

/*
 * The audit listens to a hook system from above, and yet whoever starts one must start what the administrator
 * wants recorded. So this file, and no other, imports from a wing above its own.
 */

/** Loads what starts the audit of a session. */
export const loadStartAudit = onDemand(() => import('../../watch/audit/start-audit.ts'));
