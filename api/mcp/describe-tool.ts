import type { ListToolsResult } from '@modelcontextprotocol/server';
import { z } from 'zod';

export type ListedTool = ListToolsResult['tools'][number];
type Json = Record<string, unknown>;

/** The keywords that tell a caller what to send; the bounds that are left out are named by the error of a call that breaks them. */
const KEPT = new Set([
  'type',
  'enum',
  'items',
  'properties',
  'required',
  'description',
  'default',
  'minItems',
  'maxItems',
]);
const MIN_TEXT_TOLD = 2;

type Described = {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  output: z.ZodObject;
  effect: 'read' | 'write' | 'destroy';
  idempotent?: boolean;
  confirm?: string;
};

/** A tool as clients are told it, in few tokens: without the bounds of its input and what is inside of lists of its output. */
export function describeTool(tool: Described): ListedTool {
  const { name, title, description, input, output, effect, idempotent = false, confirm } = tool;
  return {
    name,
    title,
    description: confirm === undefined ? description : `${description} ${confirm} Needs confirm: true.`,
    inputSchema: shorten(toJsonSchema(input, 'input')) as ListedTool['inputSchema'],
    outputSchema: outline(toJsonSchema(output, 'output')),
    annotations:
      effect === 'read'
        ? { readOnlyHint: true }
        : { readOnlyHint: false, destructiveHint: effect === 'destroy', ...(idempotent && { idempotentHint: true }) },
  };
}

const toJsonSchema = (schema: z.ZodObject, io: 'input' | 'output') => z.toJSONSchema(schema, { io }) as Json;

/** The schema with the keywords that are kept; names of properties stay, whatever they are. */
function shorten(schema: Json): Json {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === 'properties')
      return [
        [
          keyword,
          Object.fromEntries(Object.entries(value as Json).map(([name, each]) => [name, shorten(each as Json)])),
        ],
      ];
    if (keyword === 'items') return [[keyword, shorten(value as Json)]];
    if (keyword === 'minLength') return Number(value) >= MIN_TEXT_TOLD ? [[keyword, value]] : [];
    return KEPT.has(keyword) ? [[keyword, value]] : [];
  });
  return Object.fromEntries(entries);
}

/** The fields of an answer with their types; rows and objects inside explain themselves. */
function outline({ properties }: Json): NonNullable<ListedTool['outputSchema']> {
  const fields = Object.entries(properties as Record<string, Json>).map(([name, { type }]) => [
    name,
    type === undefined ? {} : { type },
  ]);
  return { type: 'object', properties: Object.fromEntries(fields) as Record<string, Json> };
}
