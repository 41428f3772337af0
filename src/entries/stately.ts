/** `hookmachine/stately`: a bridge to Stately's inspector. */

export { StatelyError } from '../stately/stately-error.ts';
export {
  statelyInspector,
  type StatelyInspector,
  type StatelyInspectorOptions,
} from '../stately/stately-inspector.ts';
