import { describe } from 'vitest';
import { hostCases } from './host-cases.ts';

describe('the published OpenClaw', () => hostCases('openclaw'));
