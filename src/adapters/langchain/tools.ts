import type { HookToolConfig } from '../../core/protocol/llm.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import type { Core } from './core.ts';
import type { Message, ModelRequest, OfferedTool } from './types.ts';

/** The name of a tool on offer, in whatever form it is offered. */
export function nameOfTool(tool: unknown): string {
  const { name, type, function: declared } = tool as OfferedTool;
  return [name, declared?.name, type].find((given) => typeof given === 'string') ?? '';
}

/** The tools that may be called, and whether the model must call one. */
export function chosenTools(
  { tools = [] }: Pick<ModelRequest, 'tools'>,
  { mode, allowedFunctionNames: allowed }: HookToolConfig,
  hooks: AgentHooks,
): Pick<ModelRequest, 'tools' | 'toolChoice'> {
  if (mode === 'NONE') return { tools: [], toolChoice: undefined };
  const isAllowed = (tool: unknown): boolean => {
    const name = nameOfTool(tool);
    return !allowed || allowed.includes(name) || allowed.includes(hooks.nameOf(name));
  };
  const offered = tools.filter(isAllowed);
  return {
    tools: offered,
    ...(mode === 'ANY' && offered.length > 0 && { toolChoice: 'required' }),
  };
}

/** A system message with one more text. */
export function withSystemText(message: unknown, text: string, core: Core): Message {
  const { content = '' } = (message ?? {}) as Partial<Message>;
  if (typeof content === 'string')
    return new core.SystemMessage({ content: content === '' ? text : `${content}\n\n${text}` });
  return new core.SystemMessage({ content: [...content, { type: 'text', text }] });
}
