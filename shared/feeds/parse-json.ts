import { JSONParser } from '@streamparser/json';
import { FeedBroken, type FeedItem, type FeedParser } from './feed-item.ts';
import { feedName, type FeedNode, type FeedValue } from './paths.ts';

const MAX_DEPTH = 20;

/**
 * Push parser of JSON: hands on the objects of the array at the root, of the one that `items` names, else of every array of the
 * root object; or each line of JSON Lines. `head` is the beginning of the document, by which these are told apart.
 */
export function createJsonParser(items: readonly string[], head: string, onItem: (item: FeedItem) => void): FeedParser {
  const isLines = items.length === 0 && isJsonLines(head);
  const paths = isLines ? ['$'] : pathsOf(items, head);
  const isList = !isLines && items.length === 0;
  const parser = new JSONParser({ paths, keepStack: false, ...(isLines && { separator: '' }) });
  parser.onValue = ({ value, parent }) => {
    if (isList && !Array.isArray(parent)) return;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) onItem({ node: toNode(value, 0) });
    else onItem({ problem: 'The item is no object.' });
  };
  parser.onError = (error) => {
    throw new FeedBroken(`The JSON cannot be read: ${error.message.slice(0, 200)}`);
  };
  return {
    write(text) {
      if (parser.isEnded && text.trim() !== '') throw new FeedBroken('The JSON goes on after its end.');
      if (!parser.isEnded) parser.write(text);
    },
    end() {
      if (!parser.isEnded) parser.end();
    },
  };
}

function pathsOf(items: readonly string[], head: string): string[] {
  if (items.length > 0) return items.map((path) => `$.${path.replaceAll('/', '.').replace(/^\.+/, '')}.*`);
  return head.trimStart().startsWith('[') ? ['$.*'] : ['$.*.*'];
}

/** Whether the first line is an object of its own. */
function isJsonLines(head: string): boolean {
  const [first = '', ...rest] = head.trimStart().split('\n');
  if (!first.startsWith('{') || rest.length === 0) return false;
  try {
    JSON.parse(first);
    return true;
  } catch {
    return false;
  }
}

/** Names in one spelling, numbers and the like as texts; what is null is not there. */
function toNode(value: object, depth: number): FeedNode {
  const node: FeedNode = Object.create(null) as FeedNode;
  if (depth > MAX_DEPTH) return node;
  for (const [key, each] of Object.entries(value))
    node[feedName(key)] = [each as unknown].flat().flatMap((one) => toValue(one, depth));
  return node;
}

function toValue(value: unknown, depth: number): FeedValue[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'object') return [toNode(value, depth + 1)];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}
