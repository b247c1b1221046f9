import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { compileCache, freePort, startProcess } from '../../support/processes.ts';
import { makeTestFolder } from '../../support/folders.ts';
import { runProgram } from '../../support/run-program.ts';
import { eventually } from '../../support/waiting.ts';
import { storeListings } from '../listings/search-fixture.ts';

const moduleFile = (path: string) =>
  fileURLToPath(new URL(`../../../node_modules/@modelcontextprotocol/${path}`, import.meta.url));
/** The Inspector keeps what it has connected to in the home folder. */
const home = makeTestFolder();
const env = { PATH: '/usr/bin:/bin', HOME: home, ...compileCache };

let app: TestApp;
let user: TestUser;
let url: string;
let end = () => {};

/** An API process as an operator starts it; BASE_URL is the address that it is reached by. */
beforeAll(async () => {
  app = await startApp();
  user = await app.createUser();
  await storeListings(app, user, [{ title: 'Bavaria Cruiser 46' }]);
  const port = await freePort();
  const api = startProcess(
    'api/main.ts',
    {
      DATABASE_URL: app.database.url,
      DATA_DIR: app.dataDir,
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      JWT_SECRET: 'a secret of the tests alone',
    },
    (stop) => (end = stop),
  );
  url = `http://127.0.0.1:${port}/mcp`;
  const isUp = async () => (await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.status === 200;
  await eventually(isUp, { describe: api.output });
});
afterAll(async () => {
  end();
  await closeApps();
  rmSync(home, { recursive: true, force: true });
});

describe('the conformance suite of the protocol', () => {
  test.each(['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'])(
    'passes its scenario %s against a process of the API',
    async (scenario) => {
      const args = [moduleFile('conformance/dist/index.js'), 'server', '--url', url, '--scenario', scenario];
      const { code, stdout, stderr } = await runProgram(process.execPath, args, { env });
      expect(code, stdout + stderr).toBe(0);
      expect(stdout).toMatch(/Passed: [1-9]\d*\/[1-9]\d*, 0 failed, 0 warnings/);
    },
  );
});

describe('the command line of the Inspector', () => {
  const inspect = async (...args: string[]) => {
    const program = [
      moduleFile('inspector/clients/launcher/build/index.js'),
      '--cli',
      url,
      '--transport',
      'http',
      ...args,
    ];
    const { code, stdout, stderr } = await runProgram(process.execPath, program, { env });
    expect(code, stdout + stderr).toBe(0);
    return JSON.parse(stdout);
  };

  test('lists the tools, and finds no schema that a client could not carry', async () => {
    const { tools } = await inspect('--method', 'tools/list', '--strict');
    expect(tools.map(({ name }: { name: string }) => name)).toContain('search_listings');
  });

  test('calls a tool that anybody may call', async () => {
    const answer = await inspect('--method', 'tools/call', '--tool-name', 'search_listings', '--tool-arg', 'q=bavaria');
    expect(answer.structuredContent).toMatchObject({ total: 1, results: [{ title: 'Bavaria Cruiser 46' }] });
  });

  test('calls a tool of an account with its credential', async () => {
    const header = ['--header', `Authorization: Bearer ${user.token}`];
    const answer = await inspect('--method', 'tools/call', '--tool-name', 'list_my_listings', ...header);
    expect(answer.structuredContent).toMatchObject({ total: 1 });
  });
});
