import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { toolNames as ourToolNames } from '../plain/tool-names.ts';
import { claudeEventOf, traitsOf } from './events.ts';

/** Claude Code's tools (code.claude.com/docs/en/tools-reference), including those of older versions. */
const names =
  'Bash Write Edit Read Glob Grep Agent Task WebFetch WebSearch NotebookEdit NotebookRead MultiEdit LS LSP TodoWrite TodoRead AskUserQuestion BashOutput CronCreate CronDelete CronList Artifact EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree KillBash KillShell ListAgents ListMcpResourcesTool Monitor PowerShell PushNotification ReadMcpResourceTool RemoteTrigger ScheduleWakeup SendMessage ShareOnboardingGuide Skill SlashCommand StructuredOutput TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete ToolSearch WaitForMcpServers Workflow'.split(
    ' ',
  );

/** Returns the names that a hook's matcher may match, ours included; undefined if it does not match tools. */
export const toolNames = (hook: HookDefinition): readonly string[] | undefined =>
  traitsOf(claudeEventOf(hook)).subject === 'tool_name'
    ? [...names, ...(ourToolNames({ ...hook, event: 'BeforeTool' }) ?? [])]
    : undefined;
