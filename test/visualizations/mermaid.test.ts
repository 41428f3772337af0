import { expect, test } from 'vitest';
import { graphOf } from '../../visualizations/graph.ts';
import { mermaidOf } from '../../visualizations/mermaid.ts';
import { exampleMachine } from './example.ts';

test('a machine is drawn as a Mermaid state diagram', () => {
  expect(mermaidOf(graphOf(exampleMachine))).toMatchInlineSnapshot(`
    "stateDiagram-v2
      [*] --> example_asking
      state "any state" as example_any
      state "asking<br/>⟳ fetch<br/>↻ tick<br/>↻ again" as example_asking
      state "working" as example_working {
        [*] --> example_working_left
        [*] --> example_working_right
        state "left" as example_working_left {
          [*] --> example_working_left_one
          state "one<br/>⟳ worker (spawned)<br/>↻ worker breaks" as example_working_left_one
          state "two" as example_working_left_two
          example_working_left_two --> [*]
        }
        state "right" as example_working_right {
          [*] --> example_working_right_one
          state "one" as example_working_right_one
          state "two" as example_working_right_two
          example_working_right_two --> [*]
        }
      }
      state "over" as example_over
      example_over --> [*]
      example_any --> example_over : cancel
      example_asking --> example_over : done [isLate]<br/>error<br/>after patience (5 s)<br/>after budget
      example_asking --> example_working : done [else]
      example_working --> example_over : done
      example_working_left_one --> example_working_left_two : worker ends
      example_working_right_one --> example_working_right_two : [not(isEmpty)]
    "
  `);
});
