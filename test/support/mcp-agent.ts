import { ok } from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Json } from './app.ts';

type Schema = { type?: string; properties?: Record<string, Schema>; required?: string[]; description?: string };
type ListedTool = { name: string; title: string; description: string; inputSchema: Schema; outputSchema: Schema };

/**
 * A client without a model: it knows the address of llms.txt and a key, reads there where MCP is, and chooses tools and names of
 * inputs by the words of their descriptions alone. Every token (o200k_base) of every body that is sent or read is counted.
 */
export class McpAgent {
  tokens = 0;
  private readonly ajv = new Ajv2020({ strict: false });
  private tools: ListedTool[] = [];
  private endpoint = '';
  private readonly map: string;
  private readonly key: string | undefined;

  private constructor(map: string, key: string | undefined) {
    this.map = map;
    this.key = key;
  }

  static async connect(map: string, key?: string): Promise<McpAgent> {
    const agent = new McpAgent(map, key);
    const told = await agent.exchange(map);
    agent.endpoint = /\bMCP\b[^\n]*?(https?:\S+\/mcp)/.exec(told)?.[1] ?? '';
    ok(agent.endpoint !== '', 'llms.txt names no MCP server');
    const clientInfo = { name: 'scripted', version: '1.0.0' };
    await agent.send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    ({ tools: agent.tools } = await agent.send('tools/list', {}));
    return agent;
  }

  /** The tool whose name, title and description have most of the words. */
  find(purpose: string): ListedTool {
    return bestOf(purpose, this.tools, ({ name, title, description }) => `${name} ${title} ${description}`);
  }

  /**
   * Calls the tool that a purpose names. Inputs are named by words, as `highest price`, and have to fit the listed schema; what
   * the answer wants confirmed is confirmed, as the answer says. Answers the structured content.
   */
  async call(purpose: string, wishes: Record<string, unknown> = {}): Promise<Json> {
    const tool = this.find(purpose);
    const input = Object.fromEntries(
      Object.entries(wishes).map(([words, value]) => [nameOf(words, tool.inputSchema), value]),
    );
    return this.callWith(tool, input);
  }

  /** Calls a tool with fields that an earlier answer has: those that the schema takes, and what the user adds. */
  async callFrom(purpose: string, answer: Json, added: Record<string, unknown> = {}): Promise<Json> {
    const tool = this.find(purpose);
    const known = Object.keys(tool.inputSchema.properties ?? {}).filter((name) => answer[name] !== undefined);
    const input = { ...Object.fromEntries(known.map((name) => [name, answer[name]])), ...added };
    return this.callWith(tool, complete(input, tool.inputSchema) as Record<string, unknown>);
  }

  private async callWith(tool: ListedTool, input: Record<string, unknown>): Promise<Json> {
    ok(this.ajv.validate(tool.inputSchema, input), `${tool.name}: ${this.ajv.errorsText()}`);
    let answer = await this.send('tools/call', { name: tool.name, arguments: input });
    if (answer.isError && /^confirmation_required.*\bconfirm: true/s.test(answer.content[0].text))
      answer = await this.send('tools/call', { name: tool.name, arguments: { ...input, confirm: true } });
    ok(answer.isError !== true, `${tool.name}: ${JSON.stringify(answer.content)}`);
    ok(this.ajv.validate(tool.outputSchema, answer.structuredContent), `${tool.name}: ${this.ajv.errorsText()}`);
    return answer.structuredContent;
  }

  private async send(method: string, params: Record<string, unknown>): Promise<Json> {
    const text = await this.exchange(this.endpoint, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const message = /^data: (.*)$/m.exec(text)?.[1] ?? text;
    const { result, error } = JSON.parse(message);
    ok(error === undefined, message);
    return result;
  }

  private async exchange(address: string, body?: string): Promise<string> {
    const response = await fetch(address, {
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        Accept: 'application/json, text/event-stream',
        ...(address !== this.map && this.key !== undefined && { Authorization: `Bearer ${this.key}` }),
      },
      ...(body !== undefined && { method: 'POST', body }),
    });
    const text = await response.text();
    ok(response.status === 200, text);
    this.tokens += countTokens(address) + countTokens(body ?? '') + countTokens(text);
    return text;
  }
}

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[a-z]+/g));

function bestOf<Item>(wanted: string, items: readonly Item[], describe: (item: Item) => string): Item {
  const words = [...wordsOf(wanted)];
  const scored = items.map((item) => {
    const known = wordsOf(describe(item));
    return { item, score: words.filter((word) => known.has(word)).length };
  });
  scored.sort((a, b) => b.score - a.score);
  const [best, rival] = scored;
  if (!best || best.score === 0 || best.score === rival?.score)
    throw new Error(
      `Nothing listed is clearly meant by '${wanted}': ${scored.map(({ item }) => describe(item)).join(' | ')}`,
    );
  return best.item;
}

/** The input that the words mean: its own name, else the one whose name and description have most of them. */
function nameOf(words: string, { properties = {} }: Schema): string {
  if (words in properties) return words;
  return bestOf(words, Object.entries(properties), ([name, { description = '' }]) =>
    `${name} ${description}`.replaceAll('_', ' '),
  )[0];
}

/** Required yes-or-no fields that nobody has spoken of are no. */
function complete(value: unknown, { type, properties = {}, required = [] }: Schema): unknown {
  if (type === 'boolean') return value ?? false;
  if (type !== 'object' || typeof value !== 'object' || value === null) return value;
  const known = value as Record<string, unknown>;
  const names = [...new Set([...Object.keys(known), ...required])];
  return Object.fromEntries(names.map((name) => [name, complete(known[name], properties[name] ?? {})]));
}
