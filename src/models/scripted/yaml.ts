/**
 * What we use of yaml. The build (launcher/bundle.ts) puts its code in the place of this line: what the
 * package gives a bundler for Node fails in a bundle that is an ES module.
 */
export { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';
