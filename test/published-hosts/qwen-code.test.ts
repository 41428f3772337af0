import { describe } from 'vitest';
import { hostCases } from './host-cases.ts';

describe('the published Qwen Code', () => hostCases('qwen-code'));
