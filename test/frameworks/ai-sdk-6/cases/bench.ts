import * as ai from 'ai';
import { type BenchSdk, subjectOf } from '../../ai-sdk/bench.ts';
import { measure } from '../../bench/measure.ts';

await measure(subjectOf(ai as unknown as BenchSdk, 'v3'));
