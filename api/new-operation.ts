// npm run new:operation TAG operationId METHOD PATH: the operation in the contract, its handler, its test and its row in the
// tables of the tests; they pass the checks and wait for what the operation is to do.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runScaffold, writeScaffold } from '../shared/kit/scaffold.ts';
import { contractEntryOf, handlerOf, operationTestOf, type NewOperation } from './new-operation-templates.ts';

const usage = `usage: npm run new:operation TAG operationId METHOD PATH
  TAG is a folder of api/, METHOD get, post, put, patch or delete, PATH /api/…; its only parameter may be the id of a listing:
  npm run new:operation favorites countFavorites get /api/me/favorites/count`;

runScaffold(() => {
  const operation = readArguments(process.argv.slice(2));
  const { tag, id, file, path } = operation;
  const part = `api/${tag}/openapi.yaml`;
  const contract = readFileSync(new URL(`../${part}`, import.meta.url), 'utf8');
  if (contract.includes(`\n  ${path}:\n`)) throw new Error(`${path} is in ${part}: add the method there by hand.`);
  const isListing = path.includes('{id}');
  const row = tag === 'admin' ? 'admins' : operation.method === 'get' ? 'signedIn' : 'writing';
  const [list, folder, end] =
    tag === 'admin' ? ['api/admin/operations.ts', '', '} satisfies'] : ['api/operations.ts', `${tag}/`, '};'];
  const tests = 'test/contract/authorization.test.ts';
  const recipes = 'test/support/openapi-cases-recipes.ts';
  writeScaffold(
    {
      [`api/${tag}/${file}.ts`]: handlerOf(operation),
      [`test/api/${tag}/${file}.test.ts`]: operationTestOf(operation),
    },
    [
      {
        file: part,
        before: contract.includes('\ncomponents:') ? '\ncomponents:' : contract.slice(-1),
        text: contractEntryOf(operation),
      },
      { file: list, before: 'import type { OperationId }', text: `import { ${id} } from './${folder}${file}.ts';\n` },
      { file: list, before: end, text: `  ${id},\n` },
      { file: tests, before: '};\n\nconst cases', text: `  ${id}: ${row}(200),\n` },
      ...(isListing ? [{ file: recipes, before: '};\n', text: `  ${id}: ofListing('active'),\n` }] : []),
    ],
  );
  console.log(`Next: npm run generate (the types of the handler), then what the operation takes and answers, in ${part}, api/${tag}/${file}.ts
and its test. Test it: npm run test:of api/${tag}/${file}.ts`);
});

function readArguments([tag = '', id = '', given = '', path = '']: string[]): NewOperation {
  const method = given.toLowerCase();
  const isFolder = /^[a-z-]+$/.test(tag) && existsSync(fileURLToPath(new URL(tag, import.meta.url)));
  const isKnown = isFolder && /^[a-z]+(?:[A-Z][a-z]*)+$/.test(id) && /^(?:get|post|put|patch|delete)$/.test(method);
  if (!isKnown || !/^\/api(?:\/[a-z-]+)+$/.test(path.replace('/api/listings/{id}/', '/api/listings/')))
    throw new Error(usage);
  return { tag, id, method, path, file: id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) };
}
