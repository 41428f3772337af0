import type { ServeRequest } from '../../core/dialects/installation.ts';
import { tokenVariable } from '../parts/relay-entry.ts';

/**
 * The request that a host's hooks post to `serve`. The token is in the host's environment, never in its file.
 */
export const requestOf =
  (host: string, port: number): ServeRequest =>
  (event) => ({
    url: `http://127.0.0.1:${port}/${[host, event].filter(Boolean).join('/')}`,
    headers: { Authorization: `Bearer $${tokenVariable}` },
    allowedEnvVars: [tokenVariable],
  });
