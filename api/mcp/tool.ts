import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { KeyScope } from '../../shared/accounts/key-scopes.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Links } from '../http/links.ts';
import type { PerformAs } from '../http/perform.ts';
import type { Services } from '../services.ts';

/** One call of a tool: who calls, and what the tool may do for them. */
export type ToolContext = {
  services: Services;
  caller: Caller | undefined;
  links: Links;
  locale: Locale;
  perform: PerformAs;
};

/** What a tool answers: data that fit its output schema, and the same in a few lines of Markdown. */
export type ToolAnswer<Data> = { data: Data; text: string };

export type ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  /** The scope that a key needs; what anybody may do has none. Tools of `admin` are shown to administrators alone. */
  scope?: KeyScope;
  effect: 'read' | 'write' | 'destroy';
  /** Whether a second call like the first changes nothing more. */
  idempotent?: boolean;
  /** What the call does that somebody has to agree to: without `confirm: true` nothing is done. */
  confirm?: string;
  run(context: ToolContext, input: z.output<Input>): Promise<ToolAnswer<z.output<Output>>>;
};

export type Tool = Omit<ToolDefinition<z.ZodObject, z.ZodObject>, 'run'> & {
  run(context: ToolContext, input: never): Promise<ToolAnswer<Record<string, unknown>>>;
};

export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ToolDefinition<Input, Output>,
): Tool => tool;

/** What every tool takes beside its own input, where it has a use for it. */
const common = z.object({
  confirm: z.boolean().optional().describe('true once the user has agreed; without it nothing is done.'),
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Any unique text: a repetition with it is given the first answer and does nothing.'),
});

/** How a tool is opened for one call, with the key that makes repetitions safe; and how its errors are told. */
export type ToolRuntime = {
  open(tool: Tool, idempotencyKey: string | undefined): ToolContext;
  renderError(tool: Tool, error: unknown): CallToolResult;
};

/** Registers a tool with the hints that clients ask their users by. */
export function registerTool(server: McpServer, tool: Tool, runtime: ToolRuntime): void {
  const { name, title, description, input, output, effect, idempotent = effect === 'read', confirm } = tool;
  const inputSchema = input
    .extend({
      ...(confirm !== undefined && { confirm: common.shape.confirm }),
      ...(effect !== 'read' && { idempotency_key: common.shape.idempotency_key }),
    })
    .strict();
  const annotations = {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destroy',
    idempotentHint: idempotent,
    openWorldHint: false,
  };
  server.registerTool(
    name,
    {
      title,
      description: confirm === undefined ? description : `${description} ${confirm} Needs confirm: true.`,
      inputSchema,
      outputSchema: output,
      annotations,
    },
    async (given: Record<string, unknown>): Promise<CallToolResult> => {
      const { confirm: isConfirmed, idempotency_key: key, ...rest } = given;
      if (confirm !== undefined && isConfirmed !== true) return askFirst(tool);
      try {
        const { data, text } = await tool.run(runtime.open(tool, key as string | undefined), rest as never);
        return { content: [{ type: 'text', text }], structuredContent: data };
      } catch (error) {
        return runtime.renderError(tool, error);
      }
    },
  );
}

function askFirst({ name, confirm }: Tool): CallToolResult {
  const text = `confirmation_required: nothing was done. ${confirm}\nNext: ask the user, then call ${name} again with the same input and confirm: true.`;
  return { isError: true, content: [{ type: 'text', text }] };
}
