import { isAbsolute } from 'node:path';
import type { AgentContext } from '../../adapters/agent-hooks/contract.ts';
import { judgeContext } from '../../adapters/agent-hooks/interceptor.ts';
import { Guardian } from '../../adapters/acs/guardian.ts';
import type { Report } from '../../adapters/acs/steps.ts';
import { isRecord } from '../../base/json.ts';
import { isFolder } from '../../base/folders.ts';
import type { EventWithFields } from '../../core/protocol/input.ts';
import type { CallParts, Dialect, Host } from '../../core/dialects/dialect.ts';
import { hosts } from '../../hosts/all/hosts.ts';
import { presentDialects } from '../../hosts/all/known.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { fireReport } from '../../hosts/relay/fire-report.ts';
import { joinedResult } from '../../hosts/relay/joined-result.ts';
import type { Fired, FiredEvent } from '../../hosts/relay/run-hooks.ts';
import type { WarmHooks } from '../../hosts/serve/warm-hooks.ts';
import { homeFolder } from '../../settings/files/levels.ts';
import type { Posted } from './answer-hosts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What judges events, whoever asks. */
interface Judges {
  /** What `serve` is asked with. */
  readonly token: string;
  readonly warm: () => WarmHooks;
  readonly dialects: readonly Dialect[] | undefined;
}

/** Answers those who speak a standard instead of the protocol of a host. */
export function standards(judges: Judges) {
  const guardian = new Guardian({
    // What agents have in their environment anyway: `ACS_HMAC_SECRET_FILE` names the token's file.
    secret: judges.token,
    judge: (asked, metadata, signal) => judgeStep(asked, metadata, signal, judges),
  });
  return {
    /** The Agent Control Standard, at `/acs`. */
    acs: ({ input, signal }: Posted): Promise<object> => {
      if (input.fault !== undefined) throw new CommandFailure(input.fault);
      return guardian.answer(input.given, signal);
    },
    /** An interceptor of AGENT-HOOKS-0.1, at `/agent-hooks`. */
    'agent-hooks': async ({ input, signal }: Posted): Promise<object> => {
      if (input.fault !== undefined) throw new CommandFailure(input.fault);
      const context = input.given as unknown as AgentContext;
      const folder = folderIn(context['extensions']);
      return judgeContext(context, (event, fields, { sessionId, ...rest }) =>
        through(
          { event, fields, context: rest, folder, canAsk: true },
          sessionId,
          signal,
          judges,
        ).then(({ result }) => result),
      ).catch((error: unknown) => {
        throw new CommandFailure((error as Error).message);
      });
    },
  };
}

async function judgeStep(
  [event, given]: EventWithFields,
  metadata: Fields,
  signal: AbortSignal | undefined,
  judges: Judges,
): Promise<Report> {
  const { session_id: session, agent_id: agent, platform } = metadata;
  const folder = folderIn(metadata);
  const host = hosts.find(({ name }) => name === platform);
  const { fields, parts } = await canonicalCall(event, given, host, folder);
  const fired = {
    event,
    fields,
    folder,
    context: { ...(typeof agent === 'string' && { agent }) },
    canAsk: true,
    ...(parts && host && { parts: parts.calls, partsFor: host.family }),
  };
  const sessionId = typeof session === 'string' ? session : undefined;
  const verdicts = await through(fired, sessionId, signal, judges);
  const result = parts ? joinedResult(fired, verdicts, parts) : verdicts.result;
  const report = await fireReport(event, fields, result, 0);
  if (host === undefined || report.toolInput === null) return report;
  const { toolInput } = await host.reportCall({
    toolName: 'tool_name' in fields ? String(fields.tool_name) : undefined,
    toolInput: report.toolInput,
    toolResponse: undefined,
    followUps: [],
  });
  return isRecord(toolInput) ? { ...report, toolInput } : report;
}

/** Translates a tool call of an agent that is known here into canonical form. */
async function canonicalCall(
  event: EventWithFields[0],
  fields: EventWithFields[1],
  host: Host | undefined,
  cwd: string,
): Promise<{ readonly fields: EventWithFields[1]; readonly parts?: CallParts }> {
  const native = Object.entries(host?.events ?? {}).find(([, ours]) => ours === 'BeforeTool')?.[0];
  if (host === undefined || native === undefined || !('tool_name' in fields)) return { fields };
  const { tool_name, tool_input, ...own } = fields;
  // The plugins of some agents have other names for the two.
  const call = { tool_name, tool_input, tool: tool_name, args: tool_input, cwd };
  const read = await host.readCall(native, call);
  if ('faults' in read) return { fields };
  const whole = (one: object) => ({ ...one, ...own }) as EventWithFields[1];
  return {
    fields: whole(read.fields),
    ...(read.parts && { parts: { ...read.parts, calls: read.parts.calls.map(whole) } }),
  };
}

/** The folder that the client works in; without one, only the user's and the system's hooks judge. */
function folderIn(given: unknown): string {
  const { cwd } = isRecord(given) ? given : {};
  if (typeof cwd === 'string' && isAbsolute(cwd) && isFolder(cwd)) return cwd;
  return homeFolder() ?? '/';
}

async function through(
  fired: FiredEvent,
  sessionId: string | undefined,
  signal: AbortSignal | undefined,
  { warm, dialects }: Judges,
): Promise<Fired> {
  return warm().through({
    fired,
    host: 'standards',
    sessionId,
    dialects: dialects ?? presentDialects,
    signal: signal ?? new AbortController().signal,
  });
}
