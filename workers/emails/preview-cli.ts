import '../../shared/boot/require-node.js';
import { join, resolve } from 'node:path';
import { readConfigOrExit } from '../../shared/kit/config.ts';
import { writePreviews } from './preview.ts';

// npm run emails:preview [-- FOLDER]
const folder = resolve(process.argv[2] ?? '.data/emails');
const count = await writePreviews(folder, readConfigOrExit());
console.log(`${count} mails are in ${join(folder, 'index.html')}`);
