import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { MIN_NODE } from '../../shared/boot/node-version.js';
import { findOldNode } from '../support/old-node.ts';
import { endAll, newFolder, run, service } from './support.ts';

afterEach(endAll);

const root = join(import.meta.dirname, '../..');
const launcher = join(root, 'shared/boot/launch.js');
const readText = (name: string) => readFileSync(join(root, name), 'utf8');
const oldNode = findOldNode();
if (!oldNode) console.warn('SKIPPED: no Node older than the programs need is on the PATH, to start them with');
const packaged = existsSync(join(root, `node_modules/node-${process.platform}-${process.arch}`));

test('every command of the Procfile and the README starts its program through the launcher', () => {
  const commands = /^(?:api|workers|scrapers): (.*)$/gm;
  for (const [, command] of readText('Procfile').matchAll(commands))
    expect(command).toMatch(/^node (?:--\S+ )?shared\/boot\/launch\.js \w+\/main\.ts$/);
  expect(readText('README.md')).not.toMatch(/^(?:\w+=\S+ )*node (?!.*shared\/boot\/launch\.js)/m);
});

test('the README and the launcher tell of one minimum', () => {
  const told = [...readText('README.md').matchAll(/Node (\d+\.\d+)/g)].map(([, version]) => version);
  expect(told).not.toEqual([]);
  expect(new Set(told)).toEqual(new Set([MIN_NODE]));
});

test('a Node that is recent enough runs the program itself, with its arguments', async () => {
  const program = join(newFolder(), 'program.ts');
  writeFileSync(program, 'const args: string[] = process.argv;\nconsole.log(process.pid, args.slice(2).join());\n');
  const running = run([launcher, program, 'a', '--b'], root, {});
  expect(await running.end()).toBe(0);
  expect(running.lines).toEqual([`${running.child.pid} a,--b`]);
});

test('what a program compiles is kept for its next start, where the operator says or beside the packages', async () => {
  const program = join(newFolder(), 'program.ts');
  writeFileSync(program, 'console.log(process.env.NODE_COMPILE_CACHE satisfies string | undefined);\n');
  const beside = run([launcher, program], root, {}, { compilesAlone: true });
  expect(await beside.end()).toBe(0);
  expect(beside.lines).toEqual([join(root, 'node_modules/.cache/node/')]);
  const folder = newFolder();
  const told = run([launcher, program], root, { NODE_COMPILE_CACHE: folder });
  expect(await told.end()).toBe(0);
  expect(readdirSync(folder)).toHaveLength(1);
});

test('a folder of compiled code that cannot be written changes nothing', async () => {
  const program = join(newFolder(), 'program.ts');
  writeFileSync(program, 'const word: string = "runs";\nconsole.log(word);\n');
  const running = run([launcher, program], root, { NODE_COMPILE_CACHE: join(program, 'below') });
  expect(await running.end()).toBe(0);
  expect(running.lines).toEqual(['runs']);
});

describe.skipIf(!oldNode)(`on a Node older than ${MIN_NODE}`, () => {
  const runOld = (args: string[], environment: Record<string, string> = {}) =>
    run(args, root, environment, { program: oldNode! });

  test.skipIf(!packaged).each(['api', 'workers', 'scrapers'])('the %s of the Procfile runs', async (name) => {
    const command = new RegExp(`^${name}: node (.*)$`, 'm').exec(readText('Procfile'))?.[1] ?? '';
    const running = runOld(command.split(' '), { DATABASE_URL: 'mysql://wrong' });
    expect(await running.end()).toBe(78);
    expect(running.lines).toEqual(['DATABASE_URL: must be a postgres:// URL']);
  });

  test.skipIf(!packaged)('SIGTERM reaches the program, and what it ends with is the end of the launcher', async () => {
    const running = runOld([launcher, service, 'steps']);
    await running.line(/steps runs as/);
    running.child.kill('SIGTERM');
    expect(await running.end()).toBe(1);
    expect(running.lines.slice(1)).toEqual(['first', 'error logged', 'third']);
  });

  test.skipIf(!packaged)('a program that is killed ends the launcher by the same signal', async () => {
    const running = runOld([launcher, service, 'steps']);
    const [, pid] = await running.line(/steps runs as (\d+)/);
    process.kill(Number(pid), 'SIGKILL');
    expect(await running.end()).toBe('SIGKILL');
  });

  test.skipIf(!packaged)('a launcher that is killed leaves nothing behind: its program drains and ends', async () => {
    const running = runOld([launcher, service, 'steps']);
    await running.line(/steps runs as/);
    running.child.kill('SIGKILL');
    expect(await running.end()).toBe('SIGKILL');
    expect(running.lines.at(-1)).toBe('third');
  });

  test('without a Node among the packages one line tells what is needed', async () => {
    const folder = newFolder();
    for (const name of ['launch.js', 'node-version.js', 'require-node.js'])
      cpSync(join(root, 'shared/boot', name), join(folder, 'shared/boot', name));
    cpSync(join(root, 'package.json'), join(folder, 'package.json'));
    const running = runOld([join(folder, 'shared/boot/launch.js'), 'api/main.ts']);
    expect(await running.end()).toBe(1);
    expect(running.lines).toEqual([
      expect.stringMatching(new RegExp(`^Node ${MIN_NODE} or later is needed, this is `)),
    ]);
  });

  test('npm ci tells of no package that wants a newer Node', async () => {
    const npm = realpathSync(join(dirname(oldNode!), 'npm'));
    const args = [npm, 'ci', '--dry-run', '--ignore-scripts', '--offline'];
    const { stdout, stderr } = await promisify(execFile)(oldNode!, args, { cwd: root });
    expect(`${stdout}${stderr}`).not.toContain('EBADENGINE');
  });
});
