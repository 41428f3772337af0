import { says } from '../support/relay.ts';

/** A command line, with the files and the input that it finds. */
export interface Case {
  /**
   * By path, JSON or text: in `project/`, in `home/`, or in `etc/` for an administrator's. `$URL` is a server
   * that denies.
   */
  readonly files: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
  readonly input?: unknown;
  readonly env?: Readonly<Record<string, string>>;
}

const no = 'echo no >&2; exit 2';
const command = { type: 'command', command: no };
const call = { tool_name: 'write_file', tool_input: { file_path: 'a.txt', content: 'text' } };
const hostCall = { tool_name: 'Bash', tool_input: { command: 'ls' } };
const claudeCall = { hook_event_name: 'PreToolUse', session_id: 's1', cwd: '/', ...hostCall };
const fire = ['fire', 'tool.before'];

const own = (hook: object, more: object = {}): Case['files'] => ({
  'project/.hookmachine/settings.json': {
    hooks: { 'tool.before': [{ hooks: [hook] }] },
    ...more,
  },
});
const claudeHooks = (hook: object = command) => ({
  hooks: { PreToolUse: [{ matcher: '*', hooks: [hook] }] },
});
const toml = `[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "${no}"\n`;
const kodelet = `#!/bin/sh\ncase "$1" in hook) echo before_tool_call ;; run) ${says({ blocked: true, reason: 'no' })} ;; esac\n`;

const native = (dialect: string, event: string, input: object = hostCall) => ({
  args: ['fire', event, '--dialect', dialect],
  input,
});

/** A hook of each dialect, where its host looks for it. */
const ofDialects: Readonly<Record<string, Case>> = {
  hookmachine: { files: own(command), ...native('hookmachine', 'tool.before', call) },
  llxprt: {
    files: {
      'project/.llxprt/settings.json': {
        tools: { enableHooks: true },
        hooks: { BeforeTool: [{ matcher: 'write_file', hooks: [command] }] },
      },
    },
    ...native('llxprt', 'BeforeTool', call),
  },
  kodelet: {
    files: { 'project/.kodelet/hooks/guard': kodelet },
    ...native('kodelet', 'before_tool_call', { tool_name: 'bash', tool_input: {} }),
  },
  'kodelet-strict': {
    files: { 'project/.kodelet/hooks/guard': kodelet },
    ...native('kodelet-strict', 'before_tool_call', { tool_name: 'bash', tool_input: {} }),
  },
  'claude-code': {
    files: { 'project/.claude/settings.json': claudeHooks() },
    ...native('claude-code', 'PreToolUse'),
  },
  'gemini-cli': {
    files: { 'project/.gemini/settings.json': { hooks: { BeforeTool: [{ hooks: [command] }] } } },
    ...native('gemini-cli', 'BeforeTool'),
  },
  'qwen-code': {
    files: { 'project/.qwen/settings.json': claudeHooks() },
    ...native('qwen-code', 'PreToolUse'),
  },
  codex: {
    files: { 'project/.codex/hooks.json': claudeHooks() },
    ...native('codex', 'PreToolUse'),
  },
  copilot: {
    files: {
      'project/.github/hooks/hooks.json': {
        version: 1,
        hooks: { preToolUse: [{ type: 'command', bash: no }] },
      },
    },
    ...native('copilot', 'preToolUse', { toolName: 'bash', toolArgs: '{"command":"ls"}' }),
  },
  cursor: {
    files: {
      'project/.cursor/hooks.json': { version: 1, hooks: { preToolUse: [{ command: no }] } },
    },
    ...native('cursor', 'preToolUse', { tool_name: 'Shell', tool_input: { command: 'ls' } }),
  },
  factory: {
    files: { 'project/.factory/settings.json': claudeHooks() },
    ...native('factory', 'PreToolUse'),
  },
  kimi: {
    files: {
      'home/.kimi-code/config.toml': `[[hooks]]\nevent = "PreToolUse"\ncommand = "${no}"\n`,
    },
    ...native('kimi', 'PreToolUse'),
  },
  cline: {
    files: { 'project/.clinerules/hooks/PreToolUse': `#!/bin/sh\n${says({ cancel: true })}\n` },
    ...native('cline', 'PreToolUse', { tool_call: { id: '1', name: 'a', input: {} } }),
  },
  crush: {
    files: { 'project/crush.json': { hooks: { PreToolUse: [{ command: no }] } } },
    ...native('crush', 'PreToolUse'),
  },
  goose: {
    files: { 'project/.agents/plugins/a/hooks/hooks.json': claudeHooks({ command: no }) },
    ...native('goose', 'PreToolUse'),
  },
  openhands: {
    files: { 'project/.openhands/hooks.json': claudeHooks({ command: no }) },
    ...native('openhands', 'PreToolUse'),
  },
  antigravity: {
    files: {
      'project/.agents/hooks.json': {
        gate: { PreToolUse: [{ hooks: [{ command: says({ decision: 'deny' }) }] }] },
      },
    },
    ...native('antigravity', 'PreToolUse', { toolCall: { name: 'run_command', args: {} } }),
  },
};

const module = `export default ({ tool_name }) => ({ decision: 'deny', reason: 'module ' + tool_name });\n`;
const live = `while read -r line; do echo "$line" | jq -c '{ id, output: { decision: "deny", reason: "live" } }'; done`;
const http = { type: 'http', url: '$URL/guard', allowedUrls: ['http://127.0.0.1:*'] };

/** A hook of each type that settings may name. */
const ofHandlers: Readonly<Record<string, Case>> = {
  command: {
    files: own({
      type: 'command',
      command: `cat >/dev/null; ${no}`,
      leftBehind: 'end',
      prestart: true,
      description: 'Says no.',
      once: true,
    }),
    args: fire,
  },
  live: {
    files: own({ type: 'live', command: live, concurrency: 2, idempotent: true }),
    args: fire,
  },
  module: {
    files: { ...own({ type: 'module', module: './guard.mjs' }), 'project/guard.mjs': module },
    args: fire,
  },
  http: {
    files: { ...own({ ...http, tokenFile: 'token', headers: { 'X-A': '$AB' }, allowedEnv: ['AB'], retries: 1 }), 'project/token': 'secret' }, // prettier-ignore
    args: fire,
    env: { AB: 'ab' },
  },
  prompt: {
    files: own({ type: 'prompt', prompt: 'Safe? $ARGUMENTS', model: 'small', onFailure: 'block' }),
    args: fire,
  },
  cedar: {
    files: {
      ...own({
        type: 'cedar',
        policies: 'policies',
        schema: 'schema.cedarschema',
        entities: 'entities.json',
        default: 'deny',
        request: { principal: 'User::"{user}"', action: 'Action::"{tool}"', resource: 'Any::"x"' },
      }),
      'project/policies/a.cedar': '@reason("No.") forbid(principal, action, resource in All::"y");',
      'project/entities.json': [
        { uid: { type: 'Any', id: 'x' }, attrs: {}, parents: [{ type: 'All', id: 'y' }] },
        { uid: { type: 'All', id: 'y' }, attrs: {}, parents: [] },
      ],
    },
    args: fire,
  },
  acs: {
    files: {
      ...own({ type: 'acs', url: '$URL/acs', allowedUrls: ['http://127.0.0.1:*'], agent: 'a', secretFile: 'secret' }),
      'project/secret': 'secret',
    }, // prettier-ignore
    args: fire,
    input: call,
  },
  plugin: { files: own({ type: 'plugin', name: 'reserved' }), args: fire },
};

const failing = { type: 'command', command: 'exit 1', name: 'fails', timeout: 20_000 };
const groups = {
  'tool.before': [
    { matcher: 'write_file', sequential: true, hooks: [failing, { ...command, if: 'Write(*.txt)' }] },
  ],
}; // prettier-ignore

/** Files that use the keys of the settings. */
const ofSettings: Readonly<Record<string, Case>> = {
  "a user's switches": {
    files: {
      'home/.hookmachine/settings.json': {
        enableHooks: true,
        hooksConfig: {
          enabled: true,
          disabled: ['other'],
          redact: ['ssn'],
          defaultOnFailure: 'block',
          recheck: true,
          opaqueCommands: 'allow',
          durable: { database: '$DATABASE' },
        },
        hooks: groups,
      },
    },
    args: fire,
  },
  "a project's defaults, with comments": {
    files: {
      'project/.llxprt/settings.json': `// On.\n${JSON.stringify({
        tools: { enableHooks: true },
        defaultOnFailure: 'block',
        hooks: { enabled: true, disabled: ['x'], BeforeTool: groups['tool.before'] },
      })}`,
    },
    args: fire,
  },
  'an answer that shows the model text as it arrives': {
    files: {
      'project/.hookmachine/settings.json': {
        hooks: {
          'model.after': [
            {
              hooks: [
                { type: 'module', module: './s.mjs', stream: { holdBack: 1 } },
                { type: 'command', command: 'sleep 0', async: true },
                { type: 'command', command: 'printf', args: ['%s', '{"decision":"deny"}'] },
              ],
            },
          ],
        },
      },
      'project/s.mjs': 'export default () => ({});\n',
    },
    args: ['fire', 'model.after'],
    input: {
      llm_request: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
      llm_response: { candidates: [{ content: { role: 'model', parts: ['Hello'] } }] },
    },
  },
  'a server with a certificate of its own': {
    files: own({ ...http, url: 'https://127.0.0.1:9/', tls: { ca: 'ca', cert: 'c', key: 'k' } }),
    args: fire,
  },
  'a budget that is used up': {
    files: {
      'project/.hookmachine/settings.json': {
        budget: {
          session: 0,
          day: '$5',
          perModel: { 'claude-*': '1M' },
          warnAt: 0.5,
          over: 'stop',
          prices: { m: { input: 1, output: 2, cached: 0.1, written: 1.2 } },
        },
      },
    },
    args: fire,
    input: call,
  },
  "an administrator's settings": {
    files: {
      'etc/hookmachine/settings.json': {
        managed: {
          onlyManagedHooks: true,
          defaultOnFailure: 'block',
          forbid: ['--no-hooks'],
          redact: ['salary'],
          requireVersion: '0.0.1',
          bundles: [{ name: 'guards', signer: 'security' }],
          audit: { file: '/dev/null', opentelemetry: { endpoint: 'http://127.0.0.1:9', timeout: 1, guardrails: true } },
        },
        guards: 'off',
        hooks: { 'tool.before': [{ hooks: [command] }] },
      },
    }, // prettier-ignore
    args: fire,
  },
  "an administrator's version that is not there yet": {
    files: { 'etc/hookmachine/settings.json': { managed: { requireVersion: '99.0.0' } } },
    args: fire,
  },
};

/** What the command loads only when it is needed, and no case above does. */
const ofRareParts: Readonly<Record<string, Case>> = {
  "Codex's hooks in TOML": {
    files: { 'project/.codex/config.toml': toml },
    ...native('codex', 'PreToolUse'),
  },
  "a word in Codex's settings beside its hooks": {
    files: {
      'project/.codex/config.toml': '# hooks are in hooks.json\nmodel = "m"\n',
      'project/.codex/hooks.json': claudeHooks(),
    },
    args: ['relay', 'claude-code'],
    input: claudeCall,
  },
  'TOML that cannot be read': {
    files: { 'project/.codex/config.toml': 'hooks = [' },
    ...native('codex', 'PreToolUse'),
  },
  "an administrator's hooks in TOML": {
    files: { 'etc/codex/requirements.toml': toml },
    args: ['relay', 'gemini-cli'],
    input: { hook_event_name: 'BeforeTool', ...hostCall, tool_name: 'run_shell_command' },
  },
  'a rule about the parts of a shell command': {
    files: own({ ...command, if: 'Bash(rm *)' }),
    args: ['relay', 'claude-code'],
    input: { ...claudeCall, tool_input: { command: 'cd x && rm -rf y' } },
  },
  'variables that the start of a session sets': {
    files: {
      'project/.claude/settings.json': {
        hooks: {
          SessionStart: [
            { hooks: [{ type: 'command', command: 'echo "export A=1" > "$CLAUDE_ENV_FILE"' }] },
          ],
        },
      },
    },
    ...native('claude-code', 'SessionStart', { source: 'startup' }),
  },
  'a question that the user answers later': {
    files: own({ type: 'command', command: says({ decision: 'ask', reason: 'sure?' }) }),
    args: ['relay', 'claude-code', '--defer'],
    input: claudeCall,
  },
  'a request to the model': {
    files: own(command, {
      hooks: {
        'model.before': [
          {
            hooks: [{ type: 'command', command: says({ hookSpecificOutput: { llm_request: { model: 'x' } } }) }],
          },
        ],
      },
    }), // prettier-ignore
    args: ['fire', 'model.before'],
    input: { llm_request: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] } },
  },
  'hooks that nobody has trusted': {
    files: { ...own({ type: 'command', command: './a.sh' }), 'project/a.sh': '. ./b.sh\n' },
    args: fire,
    env: { HOOKMACHINE_TRUST: '' },
  },
  'trust in scripts that scripts run': {
    files: { ...own({ type: 'command', command: 'sh a.sh' }), 'project/a.sh': 'sh b.sh; exit 2\n' },
    args: [...fire, '--trust'],
    env: { HOOKMACHINE_TRUST: '' },
  },
  "an event's name of another dialect": { files: own(command), args: ['fire', 'PreToolUse'] },
  'an event that is not known': { files: own(command), args: ['fire', 'tool.befor'] },
  'an event without input': { files: own(command), args: fire, input: '' },
  'more than one line about a hook': {
    files: own({ type: 'command', command: 'no-such-program-anywhere', onFailure: 'block' }),
    args: fire,
  },
  'the debug log': { files: own(command), args: fire, env: { DEBUG: 'llxprt:core:hooks:*' } },
};

export const cases: readonly (readonly [string, Case])[] = [
  ...Object.entries(ofDialects),
  ...Object.entries(ofHandlers),
  ...Object.entries(ofSettings),
  ...Object.entries(ofRareParts),
].map(([name, one]) => [name, { input: call, ...one }]);

export const dialectsOfCases = Object.keys(ofDialects);
export const handlersOfCases = Object.keys(ofHandlers);

const settingsFile = /\.(?:hookmachine|llxprt)\/settings\.json$|^etc\/hookmachine\//;

/** The parsed settings files of all cases. */
export const settingsOfCases: readonly unknown[] = cases.flatMap(([, { files }]) =>
  Object.entries(files)
    .filter(([file]) => settingsFile.test(file))
    .map(([, content]): unknown =>
      typeof content === 'string' ? JSON.parse(content.replace(/^\/\/.*\n/, '')) : content,
    ),
);
