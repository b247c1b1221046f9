import { z } from 'zod';
import { forbidden, unauthorized } from '../../shared/kit/errors.ts';
import type { KeyScope } from '../../shared/accounts/key-scopes.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import { isAdministrator, isModerator, requireScope, type Caller } from '../http/authenticate.ts';
import type { Links } from '../http/links.ts';
import type { PerformAs } from '../http/perform.ts';
import type { Services } from '../services.ts';
import { describeTool, type ListedTool } from './describe-tool.ts';

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
  /** The input as clients are told it, where that is shorter than what is accepted. */
  listedInput?: z.ZodObject;
  output: Output;
  /** The scope that a key needs; what anybody may do has none. */
  scope?: KeyScope;
  /** The least role of tools of the scope `admin`; `admin` unless it is said. */
  leastRole?: 'moderator';
  effect: 'read' | 'write' | 'destroy';
  /** Whether a second call like the first changes nothing more. */
  idempotent?: boolean;
  /** What the call does that somebody has to agree to: without `confirm: true` nothing is done. */
  confirm?: string;
  run(context: ToolContext, input: z.output<Input>): Promise<ToolAnswer<z.output<Output>>>;
};

export type Tool = Omit<ToolDefinition<z.ZodObject, z.ZodObject>, 'run'> & {
  run(context: ToolContext, input: never): Promise<ToolAnswer<Record<string, unknown>>>;
  listed: ListedTool;
};

/** A tool that takes `confirm` and `idempotency_key` beside its own input, where it has a use for them, and nothing else. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ToolDefinition<Input, Output>,
): Tool {
  const { confirm, effect, input, listedInput } = tool;
  const common = {
    ...(confirm !== undefined && { confirm: z.boolean().optional() }),
    ...(effect !== 'read' && { idempotency_key: z.string().min(1).max(255).optional() }),
  };
  return {
    ...tool,
    input: input.extend(common).strict(),
    listed: describeTool({ ...tool, input: (listedInput ?? input).extend(common) }),
  };
}

/** Refuses who may not use a tool: 401 without a credential, 403 with one that is not enough. */
export function requireToolAccess(tool: Tool, caller: Caller | undefined): void {
  if (tool.scope === undefined) return;
  if (!caller) throw unauthorized();
  requireScope(caller, tool.scope);
  if (!reachesLeastRole(tool, caller))
    throw forbidden(
      tool.leastRole ? 'This tool is for moderators and administrators.' : 'This tool is for administrators.',
    );
}

/** Whether `requireToolAccess` would let the caller. */
export const isUsable = (tool: Tool, caller: Caller | undefined): boolean =>
  tool.scope === undefined || (caller?.scopes.includes(tool.scope) === true && reachesLeastRole(tool, caller));

const reachesLeastRole = ({ scope, leastRole }: Tool, caller: Caller): boolean =>
  scope !== 'admin' || (leastRole ? isModerator(caller) : isAdministrator(caller));
