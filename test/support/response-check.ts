import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isEmail } from '../../shared/kit/email.ts';
import type { Contract, Operation } from '../../api/http/contract.ts';

type Json = Record<string, unknown>;

/** An answer, and the address that it was asked for at, with its query. */
export type CheckedResponse = { method: string; path: string; status: number; headers: Headers; text: string };

type ResponseChecker = (answer: CheckedResponse) => void;

const prepared = new WeakMap<Contract, ResponseChecker>();

/** Holds an answer against openapi.yaml: its status is documented, its type and body are as described. It throws what differs. */
export function createResponseChecker(contract: Contract): ResponseChecker {
  const checker = prepared.get(contract) ?? prepare(contract);
  prepared.set(contract, checker);
  return checker;
}

function prepare(contract: Contract): ResponseChecker {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv);
  ajv.addFormat('idn-email', isEmail);
  ajv.addSchema({ ...contract.document, $id: 'contract' });
  const isEnvelope = ajv.compile({ $ref: 'contract#/components/schemas/ErrorResponse' });
  const validators = new Map<string, ValidateFunction>();
  const patterns = contract.operations
    .toSorted((a, b) => weight(a) - weight(b))
    .map((operation) => ({ operation, pattern: patternOf(operation.path) }));

  return ({ method, path: address, status, headers, text }) => {
    const [path = '', query] = address.split('?', 2);
    const verb = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase();
    const match = patterns.find(({ operation, pattern }) => operation.method === verb && pattern.test(path));
    const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
    if (!match) return checkEnvelope(isEnvelope, status, type, text);
    const { operation } = match;
    const [response, pointer] = findResponse(contract, operation, status);
    if (!response) {
      if ([405, 408, 431].includes(status)) return checkEnvelope(isEnvelope, status, type, text);
      throw new Error(`${operation.id} answered ${status}, which openapi.yaml does not list: ${text.slice(0, 500)}`);
    }
    const content = response.content as Json | undefined;
    if (!content || method.toLowerCase() === 'head') return;
    if (!(type in content)) throw new Error(`${operation.id} ${status} answered the type '${type}'`);
    if (!type.endsWith('json')) return;
    const withFields = new URLSearchParams(query).has('fields')
      ? (content[type] as Json)['x-schema-with-fields']
      : undefined;
    const ref = `contract${(withFields as string | undefined) ?? `#${pointer}/content/${escapePointer(type)}/schema`}`;
    const validate = validators.get(ref) ?? ajv.compile({ $ref: ref });
    validators.set(ref, validate);
    if (!validate(JSON.parse(text))) {
      throw new Error(`${operation.id} ${status}: ${ajv.errorsText(validate.errors)}\n${text.slice(0, 1_000)}`);
    }
  };
}

function checkEnvelope(isEnvelope: ValidateFunction, status: number, type: string, text: string): void {
  if (status < 400 || !text) return;
  if (type !== 'application/json') throw new Error(`an error ${status} answered the type '${type}'`);
  if (!isEnvelope(JSON.parse(text))) throw new Error(`an error ${status} is no envelope: ${text.slice(0, 500)}`);
}

function findResponse(contract: Contract, operation: Operation, status: number): [Json | undefined, string] {
  const item = (contract.document.paths[operation.path] as Json)[operation.method] as Json;
  const response = (item.responses as Record<string, Json>)[status];
  if (typeof response?.$ref !== 'string') {
    return [response, `/paths/${escapePointer(operation.path)}/${operation.method}/responses/${status}`];
  }
  const name = response.$ref.slice(response.$ref.lastIndexOf('/') + 1);
  const { responses } = contract.document.components as { responses: Record<string, Json> };
  return [responses[name], `/components/responses/${name}`];
}

const escapePointer = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
const weight = ({ path }: Operation) => (path.includes('{') ? 2 : 0) + (path.endsWith('.md') ? 0 : 1);
const patternOf = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`);
