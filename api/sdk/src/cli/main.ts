#!/usr/bin/env node
import { createRequire } from 'node:module';
import { parseCommandLine } from './arguments.ts';
import type { Command } from './command.ts';
import { listenCommand } from './commands/listen.ts';
import { loginCommand, logoutCommand } from './commands/login.ts';
import { publishCommand } from './commands/publish.ts';
import { scrapeCommand } from './commands/scrape.ts';
import { searchCommand } from './commands/search.ts';
import { showCommand } from './commands/show.ts';
import { tailCommand } from './commands/tail.ts';
import { completionCommand } from './completion.ts';
import { createContext } from './context.ts';
import { describeFailure, renderFailure } from './errors.ts';
import { renderHelp, renderOverview } from './help.ts';

const commands: Command[] = [
  loginCommand,
  logoutCommand,
  searchCommand,
  showCommand,
  publishCommand,
  tailCommand,
  listenCommand,
  scrapeCommand,
  completionCommand(() => commands),
];

// Whoever reads may stop before the end: quayside tail | head
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const args = process.argv.slice(2);
try {
  process.exitCode = await main(args);
} catch (error) {
  const failure = describeFailure(error);
  if (!failure) throw error;
  process.stderr.write(
    args.includes('--json') ? `${JSON.stringify({ error: failure.error })}\n` : renderFailure(failure),
  );
  process.exitCode = failure.exitCode;
}

async function main(args: string[]): Promise<number> {
  const { command, values, positionals } = parseCommandLine(commands, args);
  if (values['version'] === true) process.stdout.write(`${readVersion()}\n`);
  else if (!command) process.stdout.write(renderOverview(commands));
  else if (values['help'] === true) process.stdout.write(renderHelp(command));
  else return (await command.run(await createContext(process.env, values), values, positionals)) ?? 0;
  return 0;
}

/** The package names itself alike in its sources and built. */
function readVersion(): string {
  const manifest = createRequire(import.meta.url)('quayside/package.json') as { version: string };
  return manifest.version;
}
