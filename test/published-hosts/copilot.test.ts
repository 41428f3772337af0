import { describe } from 'vitest';
import { hostCases } from './host-cases.ts';

describe('the published Copilot CLI', () => hostCases('copilot'));
