import { ProtocolError, ProtocolErrorCode, type CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { invalid, type FieldError } from '../../shared/kit/errors.ts';
import type { Caller } from '../http/authenticate.ts';
import { cutText } from './present.ts';
import { requireToolAccess, type Tool, type ToolContext } from './tool.ts';

const MAX_ERRORS = 10;
const MAX_NAME = 100;
const MAX_MESSAGE = 200;

/** How a tool is opened for one call, with the key that makes repetitions safe; and how its errors are told. */
export type ToolRuntime = {
  caller: Caller | undefined;
  open(tool: Tool, idempotencyKey: string | undefined): ToolContext;
  renderError(tool: Tool, error: unknown): CallToolResult;
};

/** Calls a tool: whoever calls is held against its scope, the input against its schema, and what needs it is confirmed first. */
export async function callTool(
  tools: readonly Tool[],
  name: string,
  given: unknown,
  runtime: ToolRuntime,
): Promise<CallToolResult> {
  const tool = tools.find((each) => each.name === name);
  if (!tool)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no tool '${cutText(name, MAX_NAME)}'; tools/list names those there are.`,
    );
  try {
    requireToolAccess(tool, runtime.caller);
    const { confirm: isConfirmed, idempotency_key: key, ...input } = readInput(tool, given);
    if (tool.confirm !== undefined && isConfirmed !== true) return askFirst(tool);
    const { data, text } = await tool.run(runtime.open(tool, key as string | undefined), input as never);
    return { content: [{ type: 'text', text }], structuredContent: data };
  } catch (error) {
    return runtime.renderError(tool, error);
  }
}

function readInput({ name, input }: Tool, given: unknown): Record<string, unknown> {
  const { success, data, error } = input.safeParse(given ?? {});
  if (success) return data;
  const errors = error.issues.slice(0, MAX_ERRORS).map(toFieldError);
  throw invalid(`The input does not fit ${name}, which takes: ${Object.keys(input.shape).join(', ')}.`, errors);
}

const toFieldError = ({ path, message }: z.core.$ZodIssue): FieldError => ({
  path: cutText(`/${path.map(String).join('/')}`, MAX_NAME),
  message: cutText(message, MAX_MESSAGE),
});

function askFirst({ name, confirm }: Tool): CallToolResult {
  const text = `confirmation_required: nothing was done. ${confirm}\nNext: ask the user, then call ${name} again with the same input and confirm: true.`;
  return { isError: true, content: [{ type: 'text', text }] };
}
