import sax from 'sax';
import { FeedBroken, MAX_ITEM_CHARS, type FeedItem, type FeedParser } from './feed-item.ts';
import { compileItemMatcher, feedName, type FeedNode } from './paths.ts';

const MAX_DEPTH = 100;
/** What an element costs beside its texts. */
const NODE_CHARS = 50;
const TOO_LARGE = `The item has more than ${MAX_ITEM_CHARS} characters.`;

/** Errors of hand-written feeds that spoil no more than one text: the characters are taken as they stand. */
const HARMLESS = /^(?:Invalid character in entity name|Invalid character entity|Unquoted attribute value)/;

/**
 * Push parser of XML (sax, strict): hands on each element that `items` leads to, as a tree. Entities that a DOCTYPE declares
 * are not known, so nothing is fetched and nothing expands. Throws FeedBroken for what is not well-formed.
 */
export function createXmlParser(items: readonly string[], onItem: (item: FeedItem) => void): FeedParser {
  const isItem = compileItemMatcher(items);
  const parser = sax.parser(true, { position: true });
  const names: string[] = [];
  /** The elements from the root to where the parser is: of those around items only the attributes are kept. */
  const nodes: FeedNode[] = [];
  let itemDepth: number | undefined;
  let chars = 0;

  function add(text: string): void {
    const node = nodes.at(-1);
    if (itemDepth === undefined || !node) return;
    chars += text.length;
    if (chars <= MAX_ITEM_CHARS) node['#'] = `${typeof node['#'] === 'string' ? node['#'] : ''}${text}`;
  }

  function open({ name: printed, attributes }: sax.Tag | sax.QualifiedTag): void {
    const name = feedName(printed);
    names.push(name);
    if (names.length > MAX_DEPTH) throw new FeedBroken(`The XML is nested deeper than ${MAX_DEPTH} elements.`);
    const node: FeedNode = Object.create(null) as FeedNode;
    for (const [key, value] of Object.entries(attributes as Record<string, string>)) {
      node[`@${feedName(key)}`] = value;
      chars += key.length + value.length;
    }
    chars += name.length + NODE_CHARS;
    const parent = nodes.at(-1);
    nodes.push(node);
    if (itemDepth !== undefined) {
      if (parent && chars <= MAX_ITEM_CHARS) attach(parent, name, node);
      return;
    }
    if (parent) node['..'] = parent;
    if (!isItem(names)) return;
    itemDepth = names.length;
    chars = 0;
  }

  function close(): void {
    const node = nodes.pop();
    if (names.length === itemDepth) {
      itemDepth = undefined;
      onItem(chars > MAX_ITEM_CHARS ? { problem: TOO_LARGE } : { node: node ?? {} });
    }
    names.pop();
  }

  function refuse(error: Error): void {
    const [message = ''] = error.message.split('\n');
    if (!HARMLESS.test(message))
      throw new FeedBroken(`The XML is not well-formed at line ${parser.line + 1}: ${message}.`);
    (parser as { error: Error | null }).error = null;
  }

  Object.assign(parser, { ontext: add, oncdata: add, onopentag: open, onclosetag: close, onerror: refuse });
  return {
    write: (text) => void parser.write(text),
    end() {
      const [open] = names;
      if (open !== undefined) throw new FeedBroken(`The XML ends before <${names.join('><')}> is closed.`);
      parser.close();
    },
  };
}

/** Under its local name and, where it has a prefix, its qualified name. */
function attach(parent: FeedNode, name: string, node: FeedNode): void {
  const local = name.slice(name.indexOf(':') + 1);
  for (const key of new Set([name, local])) {
    const known = parent[key];
    if (Array.isArray(known)) known.push(node);
    else parent[key] = known === undefined ? [node] : [known, node];
  }
}
