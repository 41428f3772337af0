import { describe } from 'vitest';
import { hostCases } from './host-cases.ts';

describe('the published Claude Code', () => hostCases('claude-code'));
