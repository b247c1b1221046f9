import './require-node.js';
import { readConfigOrExit } from '../kit/config.ts';
import { prepare } from './prepare.ts';

// npm run migrate
await prepare(readConfigOrExit());
console.log('The database is up to date.');
