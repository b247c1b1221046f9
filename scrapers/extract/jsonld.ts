import { addValue, newItem } from './items.ts';
import type { Item, Value } from './items.ts';
import { parseLooseJson } from './loose-json.ts';
import type { Page } from './page.ts';

const MAX_SCRIPT_CHARS = 4_000_000;
const MAX_ITEMS = 20_000;
const MAX_DEPTH = 60;

type Graph = {
  count: number;
  byId: Map<string, Item>;
  /** Values that only name another item, waiting for the whole page to be read. */
  references: { owner: Item; name: string; index: number; id: string }[];
};

/** The top-level items of every JSON-LD script of a page, however broken, with `@id` references resolved across scripts. */
export function readJsonLd(page: Page): Item[] {
  const graph: Graph = { count: 0, byId: new Map(), references: [] };
  const roots = new Set<Item>();
  for (const element of page.elements) {
    if (element.name !== 'script' || !/^application\/ld\+json/i.test(element.attribs.type?.trim() ?? '')) continue;
    const source = element.children.map((child) => ('data' in child ? child.data : '')).join('');
    if (source.length <= MAX_SCRIPT_CHARS) collectRoots(parseLooseJson(source), graph, roots, 0);
  }
  for (const { owner, name, index, id } of graph.references) {
    const target = graph.byId.get(id);
    const values = owner.props.get(name);
    if (target && values && target !== owner) values[index] = target;
  }
  return [...roots];
}

function collectRoots(node: unknown, graph: Graph, roots: Set<Item>, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(node)) {
    for (const entry of node) collectRoots(entry, graph, roots, depth + 1);
    return;
  }
  if (!isObject(node)) return;
  if (node['@graph'] !== undefined) collectRoots(node['@graph'], graph, roots, depth + 1);
  const item = readItem(node, graph, depth);
  if (item && item.props.size > 0) roots.add(item);
}

function readItem(node: Record<string, unknown>, graph: Graph, depth: number): Item | undefined {
  if (depth > MAX_DEPTH || graph.count >= MAX_ITEMS) return undefined;
  graph.count += 1;
  const id = textOfNode(node['@id'] ?? node.id);
  const known = id === undefined ? undefined : graph.byId.get(id);
  const item = known ?? newItem([], id);
  for (const type of newItem(textsOf(node['@type'] ?? node.type)).types) {
    if (!item.types.includes(type)) item.types.push(type);
  }
  if (id !== undefined) graph.byId.set(id, item);
  for (const [name, value] of Object.entries(node)) {
    if (name.startsWith('@') || (known && item.props.has(name.toLowerCase()))) continue;
    addNode(item, name, value, graph, depth);
  }
  return item;
}

function addNode(owner: Item, name: string, node: unknown, graph: Graph, depth: number): void {
  if (Array.isArray(node)) {
    if (depth < MAX_DEPTH) for (const entry of node) addNode(owner, name, entry, graph, depth + 1);
    return;
  }
  if (!isObject(node)) {
    const text = textOfNode(node);
    if (text !== undefined) addValue(owner, name, text);
    return;
  }
  const inner = node['@value'] ?? node['@list'] ?? node['@set'];
  if (inner !== undefined) {
    if (depth < MAX_DEPTH) addNode(owner, name, inner, graph, depth + 1);
    return;
  }
  const id = textOfNode(node['@id']);
  if (id !== undefined && Object.keys(node).every((key) => key === '@id' || key === '@type')) {
    addReference(owner, name, id, graph);
    return;
  }
  const item: Value | undefined = readItem(node, graph, depth + 1);
  if (item && item !== owner) addValue(owner, name, item);
}

function addReference(owner: Item, name: string, id: string, graph: Graph): void {
  const key = newItem([name]).types[0];
  const index = key === undefined ? 0 : (owner.props.get(key)?.length ?? 0);
  addValue(owner, name, id);
  if (key !== undefined && owner.props.get(key)?.[index] === id) graph.references.push({ owner, name: key, index, id });
}

/**
 * A JSON number of exactly three decimals gets a fourth: `12.345` would read as a grouped thousand in a text,
 * which a number never is.
 */
function textOfNode(node: unknown): string | undefined {
  if (typeof node === 'string') return node;
  if (typeof node === 'boolean') return String(node);
  if (typeof node !== 'number' || !Number.isFinite(node)) return undefined;
  const text = String(node);
  return /^-?\d{1,3}\.\d{3}$/.test(text) ? `${text}0` : text;
}

function textsOf(node: unknown): string[] {
  const nodes: unknown[] = Array.isArray(node) ? node : [node];
  return nodes.filter((entry) => typeof entry === 'string');
}

function isObject(node: unknown): node is Record<string, unknown> {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}
