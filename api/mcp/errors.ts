import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FieldError, ServiceError } from '../../shared/kit/errors.ts';
import type { Links } from '../http/links.ts';
import { challengeOf } from '../oauth/metadata.ts';
import type { Tool } from './tool.ts';

/**
 * Renders an error of the API as a tool's: its code and message, the fields that are wrong, and what to do next. Where an account is
 * missing, clients that know `mcp/www_authenticate` offer to sign in.
 */
export function renderToolError(error: ServiceError, tool: Tool, links: Links, offersOAuth: boolean): CallToolResult {
  const { code, message, details } = error;
  const fields = (details?.errors ?? []) as FieldError[];
  const rest = Object.fromEntries(Object.entries(details ?? {}).filter(([name]) => name !== 'errors'));
  const lines = [
    `${code}: ${message}`,
    ...fields.map(({ path, message }) => `- ${path}: ${message}`),
    ...(Object.keys(rest).length > 0 ? [JSON.stringify(rest).slice(0, MAX_DETAILS)] : []),
    `Next: ${nextStep(error, tool, links.base, offersOAuth)}`,
  ];
  const challenge = { 'mcp/www_authenticate': [challengeOf(links, { scope: tool.scope ?? 'read' })] };
  return {
    isError: true,
    content: [{ type: 'text', text: lines.join('\n') }],
    ...(code === 'unauthorized' && offersOAuth && { _meta: challenge }),
  };
}

const MAX_DETAILS = 2_000;

function nextStep(
  { code, headers }: ServiceError,
  { scope = 'read', name }: Tool,
  base: string,
  offersOAuth: boolean,
): string {
  const key = `POST ${base}/api/api-keys with {"name": "my agent", "scopes": ["${scope}"]}, signed in by POST ${base}/api/auth/login`;
  switch (code) {
    case 'unauthorized':
      return `${name} needs an account. ${offersOAuth ? `Connect to ${base}/mcp?auth=required, where the user signs in (OAuth). Or get` : 'Get'} an API key (${key}) and connect to ${base}/mcp with the header "Authorization: Bearer <key>".`;
    case 'forbidden':
      return `use what is the account's own, or a key with the scope '${scope}': ${key}.`;
    case 'account_suspended':
      return 'tell the person why, and where to appeal; nothing can be done with this account meanwhile.';
    case 'not_found':
      return 'take an id or slug from a search or list tool, and call again.';
    case 'validation_error':
    case 'bad_request':
    case 'moderation_rejected':
      return 'correct what is named above, and call again.';
    case 'rate_limited':
    case 'service_unavailable':
      return `wait ${headers['Retry-After'] ?? '5'} seconds, and call again with the same input.`;
    case 'duplicate_listing':
      return 'update the listing that is there already in place of creating another.';
    case 'conflict':
      return 'read the thing again: it is in another state than the call needs.';
    case 'idempotency_mismatch':
      return 'take another idempotency_key: this one belongs to another call.';
    default:
      return 'call again later, and tell the operator if it goes on.';
  }
}
