import { isSupportedNode, MIN_NODE } from './node-version.js';

// The first import of every program: an older Node ends with one line, not with a stack trace somewhere later.
if (!isSupportedNode) {
  console.error(
    `Node ${MIN_NODE} or later is needed, this is ${process.versions.node}: install it from https://nodejs.org/`,
  );
  process.exit(1);
}
