import './require-node.js';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { EmbeddedError } from '../../db/embedded-binaries.ts';
import { startEmbedded, type Embedded } from '../../db/embedded.ts';
import {
  badConfigurationExit,
  inheritedEnvironment,
  isRefusal,
  readConfig,
  readConfigOrExit,
  startedByNpm,
  type Config,
} from '../kit/config.ts';
import { deadlinesOf } from '../kit/deadlines.ts';
import { asDataDirError, ensureDataDir } from '../kit/data-dir.ts';
import { demoCommands, demoEnvironment } from './demo.ts';
import { toReadableLine } from './readable-log.ts';
import { readStartOptions } from './start-options.ts';
import { reservePort, StartError } from '../kit/reserve-port.ts';
import { watchSources } from './watch-sources.ts';
import { loadSecrets, type Secrets } from '../kit/secrets.ts';
import { parseProcfile, repeatCommand, startFleet, type Command, type Fleet } from './supervise.ts';

const sameSignalMs = 1_000;
const print = (line: string) => console.log(line);

let database: Embedded | undefined;
let preparation: ChildProcess | undefined;
let fleet: Fleet | undefined;
let starting: Promise<void> | undefined;
let stopWithinMs = deadlinesOf().fleetStop;
let stoppingSince: number | undefined;

/** Ends the processes, then the database they use, then this process. A second call kills the processes. */
async function stop(exitCode: number): Promise<void> {
  if (stoppingSince !== undefined) {
    // A terminal and npm each send Ctrl-C once.
    if (performance.now() - stoppingSince > sameSignalMs) fleet?.kill();
    return;
  }
  stoppingSince = performance.now();
  print('Stopping …');
  preparation?.kill();
  await Promise.race([starting, sleep(stopWithinMs)]);
  const killed = (await fleet?.stop(stopWithinMs)) ?? [];
  if (killed.length > 0) print(`Killed after ${stopWithinMs / 1_000} s: ${killed.join(', ')}.`);
  try {
    await database?.stop();
    print('Stopped.');
    process.exit(exitCode);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}

const isStopping = (): boolean => stoppingSince !== undefined;

async function start(given: Config): Promise<void> {
  const options = readStartOptions(process.argv.slice(2));
  stopWithinMs = given.deadlines.fleetStop;
  ensureDataDir(given.dataDir);
  // After a kill -9 the processes of the former run drain for a moment: only then is a port in use worth waiting for.
  const unclean = !given.databaseUrl && existsSync(join(given.dataDir, 'postgres', 'postmaster.pid'));
  const freePort = unclean ? undefined : await reservePort(given.host, given.port, 0);
  const secrets = given.databaseUrl && given.jwtSecrets ? undefined : loadSecrets(given.dataDir);
  const databaseUrl = given.databaseUrl ?? (await startDatabase(given.dataDir));
  const port = freePort ?? (await reservePort(given.host, given.port, stopWithinMs));
  const admin = given.admin ?? (database && secrets?.admin);
  const environment = inheritedEnvironment({
    MALLOC_ARENA_MAX: '2',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    JWT_SECRET: given.jwtSecrets?.join(',') ?? secrets?.jwtSecret,
    ...(options.apiProcesses > 1 && { REUSE_PORT: 'true' }),
    ...demoEnvironment(options, given, port),
  });
  const config = { ...readConfig(environment), admin };
  if (isStopping()) return;
  await prepare({ ...environment, ADMIN_EMAIL: admin?.email, ADMIN_PASSWORD: admin?.password });
  if (isStopping()) return;

  const procfile = parseProcfile(readFileSync(options.procfile, 'utf8'));
  const commands = [...repeatCommand(procfile, 'api', options.apiProcesses), ...demoCommands(options)];
  fleet = startFleet(commands, {
    environment,
    print,
    ...(process.stdout.isTTY ? { format: toReadableLine } : {}),
    onBadConfiguration: (name) => {
      print(`${name} refuses its configuration.`);
      void stop(badConfigurationExit);
    },
  });
  if (options.watch) watchSources((doors) => renew(doors, commands));
  if (commands.some(({ name }) => name === 'api')) await answersHealth(config);
  if (!isStopping()) announce(config, given.admin ? undefined : secrets);
}

function renew(doors: string[], commands: Command[]): void {
  if (isStopping()) return;
  print(`Sources have changed: ${doors.join(', ')}`);
  for (const { name, door } of commands) if (doors.includes(door)) fleet?.renew(name);
}

async function startDatabase(dataDir: string): Promise<string> {
  database = await startEmbedded({ dataDir, onEvent: (message) => print(message) });
  return database.url;
}

/**
 * Brings the database up to date in a process of its own, which gives back the memory that this takes. One that refuses has
 * said why: this start ends with its exit code.
 */
async function prepare(environment: Record<string, string | undefined>): Promise<void> {
  const program = fileURLToPath(new URL('./migrate-cli.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  preparation = child;
  const [code] = (await once(child, 'exit')) as [number | null];
  preparation = undefined;
  if (code !== 0 && !isStopping()) void stop(code ?? 1);
}

async function answersHealth({ host, port, deadlines }: Config): Promise<void> {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  const url = `http://${reachable}:${port}/health`;
  while (!isStopping() && !(await isOk(url, deadlines.startHealth))) await sleep(50);
}

/** By node:http: the fetch of Node would stay in memory for this one question. */
async function isOk(url: string, withinMs: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(withinMs);
    const [response] = (await once(get(url, { signal }), 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode === 200;
  } catch {
    return false;
  }
}

function announce({ baseUrl, admin, dataDir }: Config, secrets: Secrets | undefined): void {
  const login = secrets?.fresh
    ? `${admin?.email}  password ${admin?.password}  (shown this once, kept in ${dataDir}/secrets.json)`
    : `${admin?.email}${secrets ? `  (first password in ${dataDir}/secrets.json)` : ''}`;
  const rows = [
    ['Pages', `${baseUrl}/`],
    ['API', `${baseUrl}/api`],
    ['Docs', `${baseUrl}/api/docs`],
    ['Console', `${baseUrl}/admin`],
    ['Metrics', `${baseUrl}/metrics`],
    ...(admin ? [['Admin', login]] : []),
  ];
  const title = `Quayside is ready in ${(performance.now() / 1_000).toFixed(1)} s`;
  const lines = rows.map(([name = '', value]) => `  ${name.padEnd(8)} ${value}`);
  print(['', styleText('bold', title, { stream: process.stdout }), ...lines, ''].join('\n'));
}

process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(0));

// npm hands a SIGTERM to the shell between it and us, which dies of it and tells nobody.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  void stop(0);
}, 500).unref();
if (!startedByNpm()) clearInterval(watch);
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => {
    console.error(error);
    void stop(1);
  });
const given = readConfigOrExit();
starting = start(given).catch((thrown: unknown) => {
  const error = asDataDirError(thrown, given.dataDir);
  const mendable = isRefusal(error) || error instanceof StartError || error instanceof EmbeddedError;
  console.error(mendable ? error.message : error);
  void stop(isRefusal(error) ? badConfigurationExit : 1);
});
