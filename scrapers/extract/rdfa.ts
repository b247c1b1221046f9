import { addValue, hasRoom, newItem } from './items.ts';
import type { Item } from './items.ts';
import { noteLink, propertyText } from './microdata.ts';
import { resolveUrl } from './page.ts';
import type { DomElement, DomNode } from '../../shared/kit/html/dom.ts';
import type { Page } from './page.ts';

const FOREIGN_PREFIX =
  /^(?:og|fb|product|article|twitter|place|business|music|video|book|profile|al|dc|foaf|sioc|rdfs?):/i;

/** What `rel` says of links everywhere, without meaning a property. */
const LINK_TYPES =
  /^(?:alternate|amphtml|apple-.*|author|bookmark|canonical|dns-prefetch|edituri|external|help|icon|license|manifest|mask-icon|me|modulepreload|next|nofollow|noopener|noreferrer|opener|pingback|preconnect|prefetch|preload|prev|previous|search|shortcut|shortlink|sponsored|stylesheet|tag|ugc|up|lightbox.*|wlwmanifest)$/i;
const MAX_ITEMS = 5_000;

/** The top-level RDFa Lite items of a page (`vocab`, `typeof`, `property`, `rel`, `resource`, `about`); items of one name are one; 5,000 are read. */
export function readRdfa(page: Page): Item[] {
  const scope = new Map<DomNode, Item | undefined>();
  const hanging = new Map<DomNode, string[]>();
  const byId = new Map<string, Item>();
  if (!page.elements.some((element) => element.attribs.typeof !== undefined)) return [];
  const roots = new Set<Item>();
  let count = 0;

  for (const element of page.elements) {
    const outer = element.parent ? scope.get(element.parent) : undefined;
    const waiting = element.parent ? (hanging.get(element.parent) ?? []) : [];
    const related = outer ? relations(element) : [];
    const opens = element.attribs.typeof !== undefined;
    const property = [...schemaNames(element.attribs.property), ...related, ...(opens ? waiting : [])];
    const item = count < MAX_ITEMS ? ownItem(element, property.length > 0, byId) : undefined;
    if (item) count += 1;
    scope.set(element, item ?? outer);
    hanging.set(element, item ? [] : related.length > 0 && isHanging(element) ? related : waiting);
    if (item && element.attribs.typeof !== undefined && (property.length === 0 || !outer)) {
      roots.add(item);
    }
    if (element.name === 'a') noteLink(item ?? outer, element, page.base);
    if (!outer || outer === item) continue;
    for (const name of property) {
      // A relation without a target of its own waits for the items below it.
      if (!item && related.includes(name) && isHanging(element)) continue;
      if (hasRoom(outer, name)) addValue(outer, name, item ?? literal(element, name, page.base, byId));
    }
  }
  return [...roots].filter((root) => root.props.size > 0);
}

function ownItem(element: DomElement, isProperty: boolean, byId: Map<string, Item>): Item | undefined {
  const { typeof: type, resource, about } = element.attribs;
  const id = about ?? resource;
  const opensScope = type !== undefined || about !== undefined || (resource !== undefined && !isProperty);
  if (!opensScope) return undefined;
  const types = (type ?? '').split(/\s+/).filter((name) => !FOREIGN_PREFIX.test(name));
  const known = id === undefined ? undefined : byId.get(id);
  const item = known ?? newItem(types, id);
  if (known) for (const name of newItem(types).types) if (!known.types.includes(name)) known.types.push(name);
  if (id !== undefined && !known) byId.set(id, item);
  return item;
}

function relations({ attribs }: DomElement): string[] {
  return schemaNames(attribs.rel).filter((name) => !LINK_TYPES.test(name) && /^(?:[a-z]+:)?[a-z]+$/i.test(name));
}

function isHanging({ attribs }: DomElement): boolean {
  return attribs.resource === undefined && attribs.href === undefined && attribs.src === undefined;
}

function literal(element: DomElement, name: string, base: string, byId: Map<string, Item>): Item | string {
  const { resource, content, datetime } = element.attribs;
  if (content !== undefined) return content;
  if (resource !== undefined) return byId.get(resource) ?? resolveUrl(resource, base) ?? resource;
  return datetime ?? propertyText(element, name === 'description', base);
}

function schemaNames(property: string | undefined): string[] {
  if (property === undefined) return [];
  return property.split(/\s+/).filter((name) => name !== '' && !FOREIGN_PREFIX.test(name));
}
