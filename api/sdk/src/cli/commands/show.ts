import { unwrap } from '../../client.ts';
import type { Command } from '../command.ts';

/** Shows a listing as Markdown, or as the JSON of the API. */
export const showCommand: Command = {
  name: 'show',
  summary: 'read one listing',
  positionals: 'ID',
  arity: [1, 1],
  flags: {},
  async run({ client, isJson, print, printJson }, _values, [id = '']) {
    const params = { path: { id } };
    if (isJson) return printJson(await unwrap(client.GET('/api/listings/{id}', { params })));
    const markdown = await unwrap(
      client.GET('/api/listings/{id}', { params, parseAs: 'text', headers: { Accept: 'text/markdown' } }),
    );
    for (const line of markdown.trimEnd().split('\n')) print(line);
  },
};
