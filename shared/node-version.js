// Plain JavaScript, because the Node that it refuses cannot read TypeScript.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    `Quayside needs Node 24 or later, this is ${process.versions.node}: install it from https://nodejs.org/`,
  );
  process.exit(1);
}
