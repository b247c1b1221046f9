// `npm run regexps`: no regular expression of the product takes more than linear time, whatever text it meets. Those that were found
// safe stand in safe-regexps.json and are not judged again, but with `--all` (npm run test:soak): a hundred seconds of two cores.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createContext, Script } from 'node:vm';
import { parseSync, Visitor, type CallExpression, type NewExpression } from 'oxc-parser';
import { check } from 'recheck';

type Place = { file: string; line: number };
type Expression = Place & { source: string; flags: string };
type Verdict = { status: string; detail: string };

const root = fileURLToPath(new URL('..', import.meta.url));
const safeFile = join(root, 'test/safe-regexps.json');
const KEY_LENGTH = 12;
/** What a line says, with its reason, whose expression is built while it runs and cannot be checked here. */
const ALLOWED = /\/\/ built at run time: \S/;
const TIME_LIMIT_MS = 60_000;
const SLOW_MS = 200;

const { version } = JSON.parse(readFileSync(join(root, 'node_modules/recheck/package.json'), 'utf8')) as {
  version: string;
};
const files = globSync('{api,workers,scrapers,shared,db}/**/*.{ts,js}', { cwd: root }).filter(
  (file) => !/\.(?:gen|d)\.ts$|^api\/sdk\/dist\//.test(file),
);
const found = files.map(readExpressions);
const literals = found.flatMap((each) => each.literals);
const calls = found.flatMap((each) => each.calls);
const built = await recordBuilt([...new Set(calls.map(({ file }) => file))]);
const unseen = calls.filter((call) => !built.some((each) => isSamePlace(each, call)) && !isAllowed(call));
const faults = [
  ...unseen.map((call) => `${at(call)}: built while it runs; build it once from constants, or say why not`),
  ...(await judgeAll([...literals, ...built.filter((each) => !isAllowed(each))])),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
// The checker's own process would keep this one.
process.exit();

/** The expressions that a file writes out, and the places where it builds others. */
function readExpressions(file: string): { literals: Expression[]; calls: Place[] } {
  const text = readFileSync(join(root, file), 'utf8');
  const expressions: Expression[] = [];
  const places: Place[] = [];
  const place = (start: number) => ({ file, line: text.slice(0, start).split('\n').length });
  const noteCall = (node: Pick<NewExpression | CallExpression, 'callee' | 'start'>) => {
    if (node.callee.type === 'Identifier' && node.callee.name === 'RegExp') places.push(place(node.start));
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node)
        expressions.push({ ...place(node.start), source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: noteCall,
    CallExpression: noteCall,
  }).visit(parseSync(file, text).program);
  return { literals: expressions, calls: places };
}

/** The expressions that modules build from constants when they are loaded. */
async function recordBuilt(modules: readonly string[]): Promise<Expression[]> {
  const expressions: Expression[] = [];
  const Original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, args: [string | RegExp, string?], newTarget) {
      const expression = Reflect.construct(target, args, newTarget) as RegExp;
      const caller = /\(?file:\/\/([^\s:]+):(\d+):\d+\)?/.exec(new Error('stack').stack?.split('\n')[2] ?? '');
      if (caller?.[1]?.startsWith(root))
        expressions.push({
          file: caller[1].slice(root.length),
          line: Number(caller[2]),
          source: expression.source,
          flags: expression.flags,
        });
      return expression;
    },
  });
  for (const module of modules) await import(pathToFileURL(join(root, module)).href);
  globalThis.RegExp = Original;
  return expressions.filter(({ file }) => modules.includes(file));
}

/** What is wrong with each of some expressions; those that are safe are noted for the next check. */
async function judgeAll(expressions: readonly Expression[]): Promise<string[]> {
  const judged = expressions.filter((each) => !isShort(each));
  const noted = new Set(process.argv.includes('--all') ? [] : (JSON.parse(readFileSync(safeFile, 'utf8')) as string[]));
  const open = [...new Map(judged.map((each) => [keyOf(each), each]))].filter(([key]) => !noted.has(key));
  const verdicts = new Map<string, Verdict>();
  const judgeNext = async () => {
    for (let next = open.pop(); next; next = open.pop()) verdicts.set(next[0], await judge(next[1]));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, judgeNext));
  const faultOf = (each: Expression) => {
    const verdict = verdicts.get(keyOf(each));
    return verdict && verdict.status !== 'safe' ? verdict.detail : undefined;
  };
  const safe = new Set(judged.filter((each) => faultOf(each) === undefined).map(keyOf));
  const text = `${JSON.stringify([...safe].toSorted(), null, 2)}\n`;
  if (text !== readFileSync(safeFile, 'utf8')) {
    writeFileSync(safeFile, text);
    console.log(`${relative(root, safeFile)} is new: it belongs to the change.`);
  }
  return judged.flatMap((each) => {
    const fault = faultOf(each);
    return fault === undefined ? [] : [`${at(each)}: /${each.source}/${each.flags} ${fault}`];
  });
}

/** The beginning of the digest of an expression and of the release of the checker. */
function keyOf({ source, flags }: Expression): string {
  return createHash('sha256').update(`${version} /${source}/${flags}`).digest('hex').slice(0, KEY_LENGTH);
}

/** Without a repetition that is open, or may go on for long, every try at a match is short. */
function isShort({ source }: Expression): boolean {
  return !/[*+]|\{\d+,\}|\d{3,}\}/.test(source.replaceAll(/\\[*+{]|\[[^[\]]*\]/g, ''));
}

async function judge({ source, flags }: Expression): Promise<Verdict> {
  const found = await check(source, flags, { timeout: TIME_LIMIT_MS });
  if (found.status === 'vulnerable' && found.checker === 'fuzz' && !isSlow(source, flags, found.attack.string))
    return { status: 'safe', detail: '' };
  if (found.status === 'vulnerable')
    return {
      status: found.status,
      detail: `takes ${found.complexity.summary} time, for instance on ${found.attack.pattern}`,
    };
  return {
    status: found.status,
    detail: found.status === 'unknown' ? `cannot be judged (${found.error.kind}); split it` : '',
  };
}

/** Whether an attack that was only guessed holds V8 up: a true one asks for a billion steps. */
function isSlow(source: string, flags: string, attack: string): boolean {
  const before = process.cpuUsage().user;
  const context = createContext({ pattern: new RegExp(source, flags), attack });
  try {
    new Script('pattern.exec(attack)').runInContext(context, { timeout: SLOW_MS * 20 });
  } catch {
    return true;
  }
  return process.cpuUsage().user - before > SLOW_MS * 1_000;
}

function isAllowed({ file, line }: Place): boolean {
  return ALLOWED.test(readFileSync(join(root, file), 'utf8').split('\n')[line - 1] ?? '');
}

function isSamePlace(a: Place, b: Place): boolean {
  return a.file === b.file && Math.abs(a.line - b.line) <= 3;
}

function at({ file, line }: Place): string {
  return `${file}:${line}`;
}
