/**
 * The parts of jsonc-parser that we use. No bundler for Node can handle the layout of the npm package, so the
 * build (launcher/bundle.ts) puts its code here in place of this export.
 */
export {
  applyEdits,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Edit,
  type Node,
  type ParseError,
} from 'jsonc-parser';
