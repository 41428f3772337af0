/**
 * `hookmachine/agent-hooks`: AGENT-HOOKS-0.1. Its interceptors control an agent of ours (`agentHooks`), and our hooks
 * control an agent of any host of that standard (`hookInterceptor`).
 */

export * from '../adapters/agent-hooks/index.ts';
