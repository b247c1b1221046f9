/** An operation to be: its folder in api/, its function, and the file of that function without `.ts`. */
export type NewOperation = { tag: string; id: string; method: string; path: string; file: string };

const isOfListing = ({ path }: NewOperation) => path.includes('{id}');
const isAdmin = ({ tag }: NewOperation) => tag === 'admin';
const answerOf = (operation: NewOperation) => (isOfListing(operation) ? 'listing_id' : 'user_id');

/** The entry of an operation under `paths`, without what `npm run generate` derives. */
export function contractEntryOf(operation: NewOperation): string {
  const { tag, id, method, path } = operation;
  const permission = method === 'get' ? 'read' : 'write';
  const field = answerOf(operation);
  const listing = tag === 'listings' ? '' : '../listings/openapi.yaml';
  return [
    '',
    `  ${path}:`,
    ...(isOfListing(operation)
      ? ['    parameters:', `      - $ref: '${listing}#/components/parameters/ListingId'`]
      : []),
    `    ${method}:`,
    `      tags: [${tag}]`,
    `      operationId: ${id}`,
    `      summary: ${wordsOf(id)}`,
    `      description: Answers whose request it is, or which listing it names.`,
    ...(isAdmin(operation)
      ? ['      security: [{ session: [] }]', '      x-role: admin', '      x-rate-limit: admin']
      : [`      security: [{ session: [] }, { apiKey: [${permission}] }]`, `      x-rate-limit: ${permission}`]),
    '      responses:',
    `        '200':`,
    '          description: What was asked for.',
    '          content:',
    '            application/json:',
    '              schema:',
    '                type: object',
    `                required: [${field}]`,
    '                additionalProperties: false',
    `                properties: { ${field}: { type: string } }`,
    `              examples: { ${id}: { summary: The id, value: { ${field}: ${isOfListing(operation) ? 'lst' : 'usr'}_01K6Q8Z3V4H5J6K7M8N9P0Q1R2 } } }`,
    '',
  ].join('\n');
}

/** The module of its function. */
export function handlerOf(operation: NewOperation): string {
  const { id } = operation;
  if (!isOfListing(operation))
    return `import type { AuthenticatedHandler } from "../handler.ts";

/** Answers whose request it is. */
export const ${id}: AuthenticatedHandler<'${id}'> = (_services, { caller }) => ({
  status: 200,
  body: { user_id: caller.userId },
});
`;
  return `import { notFound } from "../../shared/kit/errors.ts";
import type { AuthenticatedHandler } from "../handler.ts";

/** Answers which listing the request names; 404 when it is not to be seen by everybody. */
export const ${id}: AuthenticatedHandler<'${id}'> = async ({ pool }, { params }) => {
  const { rows } = await pool.query<{ id: string }>(\`select id from listings where id = $1 and status = 'active'\`, [params.id]);
  if (!rows[0]) throw notFound('listing', params.id);
  return { status: 200, body: { listing_id: rows[0].id } };
};
`;
}

/** The file of its tests. */
export function operationTestOf(operation: NewOperation): string {
  const { id, method, path } = operation;
  const caller = isAdmin(operation) ? `{ role: 'admin' }` : '';
  const cases = isOfListing(operation)
    ? `test('${id} answers 404 for a listing that is still a draft', async () => {
  const user = await app.createUser(${caller});
  const { body } = await app.as(user).post('/api/listings', listingBody());
  const { status } = await app.as(user).${method}(\`${path.replace('{id}', '${body.id}')}\`);
  expect(status).toBe(404);
});
`
    : `test('${id} answers whose request it is', async () => {
  const user = await app.createUser(${caller});
  const { status, body } = await app.as(user).${method}('${path}');
  expect({ status, body }).toEqual({ status: 200, body: { user_id: user.id } });
});
`;
  return `import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from "../../support/app.ts";
${isOfListing(operation) ? `import { listingBody } from "../../support/listing-bodies.ts";\n` : ''}
let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.close();
});

${cases}
test('${id} answers 401 without a credential', async () => {
  const { status } = await app.as().${method}('${path.replace('{id}', 'lst_none')}');
  expect(status).toBe(401);
});
`;
}

/** `countMyFavorites` -> `Count my favorites`. */
function wordsOf(id: string): string {
  const words = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
