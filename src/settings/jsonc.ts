/**
 * What we use of jsonc-parser. The package that npm has is laid out so that no bundler for Node can take
 * it in; the build (launcher/bundle.ts) puts its code in the place of this line.
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
