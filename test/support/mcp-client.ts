import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestApp } from './app.ts';

export type McpAnswer = { isError: boolean; text: string; data: Json };
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** A client of the official SDK at /mcp, with a bearer token if one is given. */
export async function connectMcp(app: TestApp, token?: string) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit: { headers } }));
  return {
    client,
    /** Calls a tool; what the SDK itself refuses throws. */
    async call(name: string, input: Record<string, unknown> = {}): Promise<McpAnswer> {
      const answer = await client.callTool({ name, arguments: input });
      const [block] = answer.content as { type: string; text?: string }[];
      return { isError: answer.isError === true, text: block?.text ?? '', data: answer.structuredContent };
    },
  };
}
