/** `hookmachine/stately`: a bridge to Stately's inspector. */

export { StatelyError } from '../watch/stately/stately-error.ts';
export {
  statelyInspector,
  type StatelyInspector,
  type StatelyInspectorOptions,
} from '../watch/stately/stately-inspector.ts';
