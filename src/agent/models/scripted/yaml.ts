/**
 * The part of yaml that is used. The build (launcher/bundle.ts) replaces this line with its code, because the
 * package's entry for Node bundlers fails in an ES module bundle.
 */
export { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';
