import './require-node.js';
import { readConfigOrExit } from './config.ts';
import { prepare } from './prepare.ts';

// npm run migrate
await prepare(readConfigOrExit());
console.log('The database is up to date.');
