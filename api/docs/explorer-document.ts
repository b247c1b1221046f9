import type { Contract } from '../http/contract.ts';
import { renderSdkSample } from './code-samples.ts';

type Json = Record<string, unknown>;
type Described = Json & { description?: string };
type Parameter = Described & { required?: boolean; example?: unknown; schema?: Json };
type ShownOperation = Described & {
  parameters?: Parameter[];
  security: Json[];
  responses: Record<string, Described>;
};
type ShownDocument = {
  info: { description: string };
  paths: Record<string, { parameters?: Parameter[] } & Record<string, unknown>>;
  components: { parameters: Record<string, Parameter>; responses: Record<string, Described> };
};

/**
 * The contract as the reference page shows it: with a call by the SDK for each operation, and with optional parameters that are
 * off until the reader turns them on, so that the first request is the plainest; a session is asked for only where no key is
 * enough. `published` is the contract as everybody gets it.
 */
export function composeExplorerDocument(contract: Contract, published: string, base: string): string {
  const document = JSON.parse(published) as ShownDocument;
  document.info.description = linkToSections(document.info.description);
  for (const parameter of Object.values(document.components.parameters)) prepareParameter(parameter);
  for (const response of Object.values(document.components.responses)) dropLinks(response);
  for (const operation of contract.operations) {
    const item = document.paths[operation.path]!;
    const shown = item[operation.method] as ShownOperation;
    for (const parameter of [...(item.parameters ?? []), ...(shown.parameters ?? [])]) prepareParameter(parameter);
    for (const response of Object.values(shown.responses)) dropLinks(response);
    if (shown.description !== undefined) shown.description = linkToSections(shown.description);
    if (operation.auth.keyScope) shown.security = shown.security.filter((each) => !('session' in each));
    const source = renderSdkSample(contract, operation, base);
    if (source !== undefined) shown['x-codeSamples'] = [{ lang: 'typescript', label: 'TypeScript (SDK)', source }];
  }
  return JSON.stringify(document);
}

function prepareParameter(parameter: Parameter): void {
  dropLinks(parameter);
  if (parameter.$ref !== undefined || parameter.required === true) return;
  const value = parameter.example ?? parameter.schema?.example ?? parameter.schema?.default ?? '';
  delete parameter.example;
  parameter.examples = { example: { value, 'x-disabled': true } };
}

/** The page shows parameters and answers on buttons, which can hold no links. */
function dropLinks(described: Described): void {
  if (described.description === undefined) return;
  described.description = described.description.replaceAll(/\[([^[\]]+)\]\(#[^()]*\)/g, '$1');
}

/** Links between operations, `#/listings/searchListings`, as the sections of the page are named. */
const linkToSections = (text: string) => text.replaceAll(/\]\(#\/([\w-]+)\/(\w+)\)/g, '](#tag/$1/$2)');
