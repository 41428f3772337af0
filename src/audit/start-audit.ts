import { hostname, userInfo } from 'node:os';
import type { HookHost } from '../hooks/config.ts';
import type { HookRegistry } from '../hooks/hook-registry.ts';
import type { InspectObserver } from '../hooks/telemetry.ts';
import { Accounting } from '../journal/account.ts';
import { journalTo } from '../journal/journal.ts';
import { messageOf } from '../message-of.ts';
import { isRecord } from '../protocol/output.ts';
import { redactedIn } from '../redaction/redact-settings.ts';
import { type AuditSettings, version } from '../settings/managed.ts';
import { appendLine } from './log-file.ts';
import { auditedCall, type AuditLine, type AuditOrigin } from './record.ts';
import { longestLine, openSystemLog, type SystemLog } from './system-log.ts';

/** What a line says beside what all of them do. */
type Said<Line extends AuditLine = AuditLine> = Line extends AuditLine
  ? Omit<Line, keyof AuditOrigin | 'v' | 'at' | 'session'>
  : never;

/** A hook system, as far as it is looked at. */
interface AuditedSystem {
  readonly config: Pick<HookHost, 'getSessionId' | 'getWorkingDir' | 'wasReported'>;
  getRegistry(): HookRegistry;
  observe(observer: InspectObserver): () => void;
  on(name: 'warning', listener: (text: string) => void): () => void;
}

/**
 * Records a session without payloads, line by line. What cannot be written is lost, costs nobody a
 * decision, and is reported once. Gives back what ends it.
 */
export function startAudit(
  settings: AuditSettings,
  system: AuditedSystem,
  warn: (line: string) => void,
): () => void {
  const { config } = system;
  const lost = new Set<string>();
  const failed = (where: string, why: string): void => {
    if (lost.has(where)) return;
    lost.add(where);
    const line = `this session is not audited in ${where}: ${why}`;
    if (config.wasReported?.(line) !== true) warn(line);
  };
  const user = userName();
  const write = logsOf(settings, user, failed);
  const host = hostname();
  const project = config.getWorkingDir();
  const hooksOn = () =>
    system
      .getRegistry()
      .getAllHooks()
      .filter((hook) => hook.enabled && system.getRegistry().isOn(hook));
  const put = (said: Said, session = config.getSessionId()): void => {
    const line = {
      v: 1,
      at: new Date().toISOString(),
      host,
      user,
      version,
      project,
      guards: hooksOn().filter(({ source }) => source === 'system').length,
      session,
      ...said,
    } as AuditLine;
    const text = JSON.stringify(line);
    write.line(text.length < longestLine ? text : JSON.stringify(withoutHooks(line)));
  };

  const calls = new Accounting();
  /** By run, the tool that an event by itself is about. */
  const tools = new Map<string, string>();
  let input: unknown;
  const journal = journalTo(
    (entry) => {
      if (entry.kind === 'started' && entry.machine === 'hookEvent' && entry.parent === undefined) {
        const tool = toolIn(input);
        if (tool !== undefined) tools.set(entry.id, tool);
      }
      const call = calls.take(entry);
      if (call === undefined) return;
      const tool = tools.get(call.id);
      tools.delete(call.id);
      put({ kind: 'call', ...auditedCall(call, tool) }, call.session);
    },
    { redact: redactedIn(project, {}, () => undefined) },
  );
  const stops = [
    system.observe((event) => {
      input = (event.actorRef as { readonly options?: { readonly input?: unknown } }).options
        ?.input;
      journal.observe(event);
      input = undefined;
    }),
    system.on('warning', (text) => {
      if (skipped.test(text)) put({ kind: 'skipped', text });
    }),
    () => write.close(),
  ];
  const hooks: Record<string, number> = {};
  for (const { source } of hooksOn()) hooks[source] = (hooks[source] ?? 0) + 1;
  // Agents start a process for each event: with a session's id its beginning is known.
  if (config.wasReported?.('audited') !== true)
    put({ kind: 'session', hooks, problems: system.getRegistry().problems.length });
  return () => {
    for (const stop of stops) stop();
  };
}

/** What the gate of trust says of a hook that it lets not start. */
const skipped = /^hook "[^]*" \((?:[\w.]+)\) (?:was skipped|may not run)/;

const toolIn = (input: unknown): string | undefined => {
  const payload = isRecord(input) ? input['payload'] : undefined;
  const tool = isRecord(payload) ? payload['tool_name'] : undefined;
  return typeof tool === 'string' ? tool.slice(0, 200) : undefined;
};

/** A line that is too long for a log keeps what was decided. */
const withoutHooks = (line: AuditLine): AuditLine =>
  line.kind === 'call'
    ? {
        ...line,
        name: line.name.slice(0, 200),
        events: line.events.slice(0, 20).map((event) => ({ ...event, hooks: [] })),
      }
    : line;

/** As the system knows the user, not as the environment has it. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}

/** The logs that settings name, as one. */
function logsOf(
  { file, maxBytes, keep, syslog }: AuditSettings,
  user: string,
  failed: (where: string, why: string) => void,
): { line(text: string): void; close(): void } {
  const path = file?.replaceAll('%u', () => user.replaceAll(/[^\w.-]/g, '_'));
  const limits = { ...(maxBytes && { maxBytes }), ...(keep !== undefined && { keep }) };
  const where = typeof syslog === 'string' ? syslog : "the system's log";
  let system: SystemLog | undefined;
  try {
    if (syslog) system = openSystemLog(syslog, (why) => failed(where, why));
  } catch (error) {
    failed(where, messageOf(error));
  }
  return {
    line(text) {
      try {
        if (path !== undefined) appendLine(path, text, limits);
      } catch (error) {
        failed(path!, messageOf(error));
      }
      system?.write(text);
    },
    close: () => system?.close(),
  };
}
