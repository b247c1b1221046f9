import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseProcfile } from '../../shared/boot/supervise.ts';

test('a Procfile is names and commands; comments and empty lines do not count, and node is the Node that runs', () => {
  expect(parseProcfile('# fleet\n\napi: node api/main.ts --x\n mail-relay : /bin/relay a  b\nnonsense\n')).toEqual([
    { name: 'api', door: 'api', program: process.execPath, args: ['api/main.ts', '--x'] },
    { name: 'mail-relay', door: 'mail-relay', program: '/bin/relay', args: ['a', 'b'] },
  ]);
});

test('the fleet is the api, the workers and the scrapers', () => {
  const fleet = parseProcfile(readFileSync(new URL('../../Procfile', import.meta.url), 'utf8'));
  expect(fleet.map(({ name, args }) => `${name} ${args.join(' ')}`)).toEqual([
    'api --max-semi-space-size=64 shared/boot/launch.js api/main.ts',
    'workers shared/boot/launch.js workers/main.ts',
    'scrapers shared/boot/launch.js scrapers/main.ts',
  ]);
});
