/**
 * `hookmachine/langchain`: hooks around LangChain's agents, and around the models and tools of other graphs.
 */
export { guardModel } from '../adapters/langchain/guard-model.ts';
export { guardTool, type GuardableTool } from '../adapters/langchain/guard-tool.ts';
export { hooksMiddleware, type HooksMiddleware } from '../adapters/langchain/hooks-middleware.ts';
export { withHooks, type WithHooks } from '../adapters/langchain/with-hooks.ts';
export type { AdapterOptions, BlockedCall } from '../adapters/parts/options.ts';
