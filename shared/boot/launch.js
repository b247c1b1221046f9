// Plain JavaScript, because the Node that it replaces cannot read TypeScript.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isSupportedNode, MIN_NODE } from './node-version.js';

// node shared/boot/launch.js PROGRAM.ts [ARGUMENT …]: runs it in this process, or, where this Node is too old and the packages
// brought one (Linux), in a child on that Node. The child gets every signal, drains when this process is killed, and its
// exit code or signal is this process's too.
const platform = `${process.platform}-${process.arch}`;
const packagedNode = fileURLToPath(new URL(`../../node_modules/node-${platform}/bin/node`, import.meta.url));

if (!isSupportedNode && existsSync(packagedNode)) runOn(packagedNode);
else await runHere();

async function runHere() {
  await import('./require-node.js');
  process.argv.splice(1, 1);
  await import(pathToFileURL(resolve(process.argv[1])).href);
}

function runOn(node) {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(
      `Node ${MIN_NODE} or later is needed, this is ${process.versions.node}, and ${node} does not run (${error.message})`,
    );
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const each of signals) process.removeAllListeners(each);
    process.kill(process.pid, signal);
  });
}
