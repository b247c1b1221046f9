/** The first Node that has all that is used (argon2 in node:crypto came last). */
export const MIN_NODE = '24.7';

const [major, minor] = process.versions.node.split('.').map(Number);
const [minMajor, minMinor] = MIN_NODE.split('.').map(Number);

export const isSupportedNode = major > minMajor || (major === minMajor && minor >= minMinor);
