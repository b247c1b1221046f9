#!/usr/bin/env node
// `npx quayside` in the repository: the sources themselves, on the Node that comes with the packages. The published package has
// its own, built.
import { fileURLToPath } from 'node:url';

process.argv.splice(1, 1, '', fileURLToPath(new URL('src/cli/main.ts', import.meta.url)));
await import('../../shared/boot/launch.js');
