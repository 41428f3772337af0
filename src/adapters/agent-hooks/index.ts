export { agentHooks } from './host.ts';
export type { AgentHooks, AgentHooksOptions, AgentHooksTurn } from './host.ts';
export { hookInterceptor } from './interceptor.ts';
export { Emitter } from './emitter.ts';
export type { Emitted, EmitterOptions } from './emitter.ts';
export { jcsSha256 } from './identity.ts';
export type {
  AgentContext,
  ApprovalRequest,
  ApprovalResolution,
  ApprovalResolver,
  Composition,
  IdentityProvider,
  InterceptionPoint,
  InterceptionRecord,
  Interceptor,
  Verdict,
} from './contract.ts';
