/** A node of a plan as EXPLAIN (ANALYZE, FORMAT JSON) writes it: what is used here. */
type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Heap Blocks'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Node[];
};

/** What one execution of a statement did: rows that its scans looked at, pages of 8 KB it touched, and how it came to them. */
export type Execution = { queryId: string; rows: number; pages: number; scans: Set<string>; whole: Set<string> };

const ENTRY = /LOG: {2}duration: [\d.]+ ms {2}plan:\n((?:\t.*\n)+)/g;

/** The executions that auto_explain has written to a server's log as JSON. */
export function readExecutions(log: string): Execution[] {
  return [...log.matchAll(ENTRY)].flatMap(([, body = '']) => {
    const text = body.replaceAll(/^\t/gm, '');
    // The identifier has 64 bits with a sign: no JavaScript number holds it.
    const queryId = /"Query Identifier": (-?\d+)/.exec(text)?.[1];
    if (queryId === undefined) return [];
    const { Plan: root } = JSON.parse(text) as { Plan: Node };
    const nodes = flatten(root);
    // Those of tables and indexes: what a CTE or a subquery hands on has been looked at before.
    const scans = nodes.filter((node) => node['Relation Name'] ?? node['Index Name']);
    return [
      {
        queryId,
        rows: sum(scans, rowsLookedAt),
        pages: (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0),
        scans: new Set(scans.flatMap((node) => node['Index Name'] ?? node['Relation Name'] ?? [])),
        whole: new Set(
          scans.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? []) : [])),
        ),
      },
    ];
  });
}

const flatten = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flatten)];

/** Rows are written as the mean of the loops. */
const rowsLookedAt = (node: Node): number =>
  ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
  (node['Actual Loops'] ?? 1);

const sum = (nodes: Node[], of: (node: Node) => number) => nodes.reduce((total, node) => total + of(node), 0);
