import { hostname, userInfo } from 'node:os';
import type { InspectionEvent } from 'xstate';
import { Accounting, type CallAccount } from '../journal/account.ts';
import type { JournalEntry } from '../journal/entry.ts';
import { journalTo } from '../journal/journal.ts';
import { plainName } from '../journal/hook-answer.ts';
import { messageOf } from '../../base/message-of.ts';
import { isRecord } from '../../base/json.ts';
import { redactedIn } from '../../settings/redaction/redact-settings.ts';
import type { RegisteredHook } from '../../core/definitions/hook-definition.ts';
import { version } from '../../base/version.ts';
import type { HookSpans } from '../opentelemetry/spans.ts';
import { type Redactor, redactor } from '../../settings/redaction/redactor.ts';
import { LogFile, ofUser } from './log-file.ts';
import { recordSession, type SessionRecording } from './session-recording.ts';
import { auditedCall, type AuditLine, type AuditOrigin } from './record.ts';
import { type DatedEvent, lateEvents } from './late-events.ts';
import { longestLine, openSystemLog, type SystemLog } from './system-log.ts';
import type { AuditSettings } from '../../core/definitions/settings.ts';
import type { InspectObserver } from '../../core/host/config.ts';

/** The part of a line that is not common to all lines. */
type LineContent<Line extends AuditLine = AuditLine> = Line extends AuditLine
  ? Omit<Line, keyof AuditOrigin | 'v' | 'at' | 'session'>
  : never;

/** The part of a hook system that is audited. */
interface AuditedSystem {
  readonly config: {
    getSessionId(): string;
    getWorkingDir(): string;
    wasReported?(problem: string): boolean;
  };
  getRegistry(): {
    readonly problems: readonly unknown[];
    getAllHooks(): readonly RegisteredHook[];
    isOn(hook: RegisteredHook): boolean;
  };
  observe(observer: InspectObserver): () => void;
  on(name: 'hook:skipped', listener: (text: string) => void): () => void;
}

/**
 * Records a session without payloads, line by line. A line that cannot be written is lost; that affects no
 * decision and is reported once. Returns a function that ends the audit.
 */
export async function startAudit(
  settings: AuditSettings,
  system: AuditedSystem,
  warn: (line: string) => void,
): Promise<() => void> {
  const { config } = system;
  const reportOnce = reporterOf(config, warn);
  const failed = (where: string, why: string): void => reportOnce(`audited in ${where}`, why);
  const user = userName();
  const write = logsOf(settings, user, failed);
  const host = hostname();
  const project = config.getWorkingDir();
  const hooksOn = () => {
    const registry = system.getRegistry();
    return registry.getAllHooks().filter((hook) => hook.enabled && registry.isOn(hook));
  };
  const put = (content: LineContent, session = config.getSessionId()): void => {
    const { system: guards = 0 } = countsOf(hooksOn());
    write.line(lineText({ host, user, version, project, guards, session, ...content }));
  };
  const redact = redactedIn(project, {}, () => undefined);
  const shown = redactor(redact);
  const traces = await tracesOf(settings, { host, user, project }, shown, {
    missing: (why) => reportOnce('traced', why),
    lost: (why) => reportOnce('fully traced', why),
  });
  const recording = recordingOf(
    settings,
    { session: config.getSessionId(), user, project },
    failed,
  );
  const events = accountedEvents(redact, recording, {
    nameOf: (tool) => shown.text(plainName(tool), longestTool),
    take: (entry) => traces?.spans.take(entry),
    ended: (call, tool) => put({ kind: 'call', ...auditedCall(call, tool) }, call.session),
  });
  const stops = [
    system.observe(events.add),
    system.on('hook:skipped', (text) => put({ kind: 'skipped', text: shown.text(text) })),
    () => events.close(),
    () => recording?.close(),
    () => write.close(),
    () => traces?.close(),
  ];
  // Agents start a process for each event: the session's id tells whether its beginning was already recorded.
  if (config.wasReported?.('audited') !== true)
    put({
      kind: 'session',
      hooks: countsOf(hooksOn()),
      problems: system.getRegistry().problems.length,
    });
  return () => {
    for (const stop of stops) stop();
  };
}

/** What becomes of a session's entries. */
interface EntrySink {
  /** How a tool's name is written. */
  readonly nameOf: (tool: string) => string;
  readonly take: (entry: JournalEntry) => void;
  readonly ended: (call: CallAccount, tool: string | undefined) => void;
}

/** Turns the events of a session into entries, and those into calls, late enough that no call waits for it. */
function accountedEvents(
  redact: readonly string[],
  recording: SessionRecording | undefined,
  { nameOf, take, ended }: EntrySink,
): ReturnType<typeof lateEvents> {
  const calls = new Accounting();
  /** The tool that a standalone event is about, by run. */
  const tools = new Map<string, string>();
  let current: DatedEvent;
  const journal = journalTo(
    (entry) => {
      if (entry.kind === 'started' && entry.machine === 'hookEvent' && entry.parent === undefined) {
        const tool = toolIn(current.event);
        if (tool !== undefined) tools.set(entry.id, nameOf(tool));
      }
      take(entry);
      const call = calls.take(entry);
      if (call === undefined) return;
      const tool = tools.get(call.id);
      tools.delete(call.id);
      ended(call, tool);
    },
    { redact, moves: false, now: () => current.at },
  );
  return lateEvents((dated) => {
    current = dated;
    journal.observe(dated.event);
    recording?.take(dated);
  }, recording?.write);
}

/** Returns what reports each loss once a session. */
function reporterOf(
  config: AuditedSystem['config'],
  warn: (line: string) => void,
): (what: string, why: string) => void {
  const lost = new Set<string>();
  return (what, why) => {
    if (lost.has(what)) return;
    lost.add(what);
    const line = `this session is not ${what}: ${why}`;
    if (config.wasReported?.(line) !== true) warn(line);
  };
}

/** How many of these hooks each source has. */
function countsOf(hooks: readonly RegisteredHook[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { source } of hooks) counts[source] = (counts[source] ?? 0) + 1;
  return counts;
}

/** Returns the text of a line; one that is too long for a log loses its list of hooks. */
function lineText(content: object): string {
  const line = { v: 1, at: new Date().toISOString(), ...content } as AuditLine;
  const text = JSON.stringify(line);
  return text.length < longestLine ? text : JSON.stringify(withoutHooks(line));
}

/** The longest tool name that is kept, in characters. */
const longestTool = 200;

const toolIn = ({ actorRef }: InspectionEvent): string | undefined => {
  const { input } = (actorRef as { readonly options?: { readonly input?: unknown } }).options ?? {};
  const payload = isRecord(input) ? input['payload'] : undefined;
  const tool = isRecord(payload) ? payload['tool_name'] : undefined;
  return typeof tool === 'string' ? tool : undefined;
};

/** Shortens a line that is too long for a log to what was decided. */
const withoutHooks = (line: AuditLine): AuditLine =>
  line.kind === 'call'
    ? {
        ...line,
        name: line.name.slice(0, longestTool),
        events: line.events.slice(0, 20).map((event) => ({ ...event, hooks: [] })),
      }
    : line;

/** The user's name according to the system, not to the environment. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}

/** Opens spans and metrics to the collector that settings name. */
async function tracesOf(
  { opentelemetry }: AuditSettings,
  { host, user, project }: Readonly<Record<'host' | 'user' | 'project', string>>,
  hiding: Redactor,
  report: Readonly<Record<'missing' | 'lost', (why: string) => void>>,
): Promise<{ readonly spans: HookSpans; close(): void } | undefined> {
  if (opentelemetry === undefined) return undefined;
  try {
    const [{ openOtlp }, { HookSpans }] = await Promise.all([
      import('../opentelemetry/otlp.ts'),
      import('../opentelemetry/spans.ts'),
    ]);
    const about = { 'host.name': host, 'user.name': user, 'process.working_directory': project };
    const settings = opentelemetry === true ? {} : opentelemetry;
    const { close, ...target } = await openOtlp(settings, about, report.lost);
    const spans = new HookSpans({
      ...target,
      redactor: hiding,
      isNested: false,
      guardrails: settings.guardrails,
    });
    // A process that simply ends still has data to send, unlike one that called `close()`.
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      process.off('beforeExit', end);
      spans.end();
      void close();
    };
    process.once('beforeExit', end);
    return { spans, close: end };
  } catch (error) {
    report.missing(messageOf(error));
    return undefined;
  }
}

/** Starts the recording that settings name; without payloads, if what must not be in it is unknown. */
function recordingOf(
  settings: AuditSettings,
  about: { readonly session: string; readonly user: string; readonly project: string },
  failed: (where: string, why: string) => void,
): SessionRecording | undefined {
  if (settings.recording === undefined) return undefined;
  const file = ofUser(settings.recording, about.user);
  const lost = (why: string): void => failed(file, why);
  const redacted = (payloads: boolean): readonly string[] =>
    redactedIn(about.project, { payloads }, () => undefined);
  try {
    return recordSession(file, settings, about, redacted(settings.payloads === true), lost);
  } catch (error) {
    lost(`${messageOf(error)}; it is recorded without payloads`);
    return recordSession(file, { ...settings, payloads: false }, about, redacted(false), lost);
  }
}

/** Opens the logs that settings name as a single log. */
function logsOf(
  { file, maxBytes, keep, syslog }: AuditSettings,
  user: string,
  failed: (where: string, why: string) => void,
): { line(text: string): void; close(): void } {
  const path = file === undefined ? undefined : ofUser(file, user);
  const limits = { ...(maxBytes && { maxBytes }), ...(keep !== undefined && { keep }) };
  const where = typeof syslog === 'string' ? syslog : "the system's log";
  const log = path === undefined ? undefined : new LogFile(path, limits);
  let system: SystemLog | undefined;
  try {
    if (syslog) system = openSystemLog(syslog, (why) => failed(where, why));
  } catch (error) {
    failed(where, messageOf(error));
  }
  return {
    line(text) {
      try {
        log?.append(text);
      } catch (error) {
        failed(path!, messageOf(error));
      }
      system?.write(text);
    },
    close() {
      log?.close();
      system?.close();
    },
  };
}
