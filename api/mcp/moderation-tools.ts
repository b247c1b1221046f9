import { z } from 'zod';
import { listingId, limit, page } from './inputs.ts';
import { answerList, cutText, listOf, listingRow, renderRows, toListingRow } from './present.ts';
import { defineTool, type Tool } from './tool.ts';

const groupId = z.string().min(1).max(120).describe('Id of a group of duplicates.');
const group = z.object({
  id: z.string(),
  status: z.string(),
  confidence: z.number(),
  reasons: z.array(z.string()),
  canonical_id: z.string().nullable(),
  members: z.array(z.object({ listing_id: z.string(), title: z.string().nullable(), site: z.string().nullable() })),
});

type Group = Omit<z.output<typeof group>, 'members'> & {
  members: { listing_id: string; listing: { title: string } | null; site: string | null }[];
};
const toGroup = ({ id, status, confidence, reasons, canonical_id, members }: Group) => ({
  id,
  status,
  confidence,
  reasons,
  canonical_id,
  members: members.map(({ listing_id, listing, site }) => ({
    listing_id,
    title: listing && cutText(listing.title, 80),
    site,
  })),
});

const renderGroup = ({ id, status, confidence, members }: z.output<typeof group>) =>
  `- \`${id}\` ${status}, ${confidence}: ${members.map(({ title, listing_id }) => `${title ?? 'gone'} \`${listing_id}\``).join('; ')}`;

/** Review of listings, and duplicates. */
export const moderationTools: Tool[] = [
  defineTool({
    name: 'review_next',
    title: 'What is to be reviewed next',
    description: 'The first listings of a review queue: doubtful texts, or what users have reported.',
    input: z.object({ queue: z.enum(['doubtful', 'reported']).default('doubtful'), limit: limit.default(3) }),
    output: z.object({
      waiting: z.number(),
      results: z.array(z.object({ listing: listingRow, description: z.string(), reasons: z.array(z.string()) })),
    }),
    scope: 'admin',
    leastRole: 'moderator',
    effect: 'read',
    async run({ perform }, { queue, limit }) {
      const query = { limit };
      if (queue === 'reported') {
        const { body } = await perform('listFlagged', { query });
        const results = body.results.map(({ listing, flags }) =>
          toReview(
            listing,
            flags.map((flag) => JSON.stringify(flag)),
          ),
        );
        return answerReview(body.pagination.total, results);
      }
      const { body } = await perform('listValidationQueue', { query });
      const results = body.results.map(({ listing, reasons }) =>
        toReview(
          listing,
          reasons.map(({ code, message }) => `${code}: ${message}`),
        ),
      );
      return answerReview(body.pagination.total, results);
    },
  }),
  defineTool({
    name: 'decide',
    title: 'Decide about a listing',
    description: 'Approves a listing under review, or rejects it with the reason that its owner is told.',
    input: z.object({
      id: listingId,
      decision: z.enum(['approve', 'reject']),
      reason: z.string().min(1).max(500).optional(),
    }),
    output: z.object({ id: z.string(), status: z.string(), message: z.string() }),
    scope: 'admin',
    leastRole: 'moderator',
    effect: 'destroy',
    confirm: 'This publishes the listing or takes it down, and its owner is told.',
    async run({ perform }, { id, decision, reason }) {
      const { body } =
        decision === 'approve'
          ? await perform('approveListing', { params: { id } })
          : await perform('rejectListing', { params: { id }, body: reason === undefined ? {} : { reason } });
      return { data: body, text: `${body.message} (\`${body.id}\`: ${body.status})` };
    },
  }),
  defineTool({
    name: 'list_duplicates',
    title: 'Groups of duplicates',
    description: 'Groups of listings that seem to offer the same thing.',
    input: z.object({
      status: z.enum(['detected', 'merged', 'rejected']).default('detected'),
      min_confidence: z.number().min(0).max(1).optional(),
      limit: limit.default(5),
      page,
    }),
    output: listOf(group),
    scope: 'admin',
    leastRole: 'moderator',
    effect: 'read',
    async run({ perform }, query) {
      const { body } = await perform('listDedupGroups', { query });
      const results = body.results.map((each) => toGroup(each));
      return answerList(body.pagination, results, results.map(renderGroup).join('\n'), 'There are none.');
    },
  }),
  defineTool({
    name: 'merge_duplicates',
    title: 'Merge a group of duplicates',
    description: 'Keeps one listing of a group and deletes the others; undo_merge brings them back.',
    input: z.object({ id: groupId, canonical_id: z.string().min(1).max(120).optional().describe('The one to keep.') }),
    output: group,
    scope: 'admin',
    leastRole: 'moderator',
    effect: 'destroy',
    confirm: 'This deletes all listings of the group but one.',
    async run({ perform }, { id, canonical_id }) {
      const body = canonical_id === undefined ? {} : { canonical_id };
      const data = toGroup((await perform('mergeDedupGroup', { params: { id }, body })).body);
      return { data, text: renderGroup(data) };
    },
  }),
  defineTool({
    name: 'undo_merge',
    title: 'Undo a merge',
    description: 'Brings back the listings that a merge has deleted.',
    input: z.object({ id: groupId }),
    output: group,
    scope: 'admin',
    leastRole: 'moderator',
    effect: 'write',
    confirm: 'This shows the listings of the group to everybody again.',
    async run({ perform }, { id }) {
      const data = toGroup((await perform('unmergeDedupGroup', { params: { id } })).body);
      return { data, text: renderGroup(data) };
    },
  }),
];

type Review = { listing: z.output<typeof listingRow>; description: string; reasons: string[] };

const toReview = (item: Parameters<typeof toListingRow>[0], reasons: string[]): Review => ({
  listing: toListingRow(item),
  description: cutText(item.description, 500),
  reasons: reasons.slice(0, 10).map((reason) => cutText(reason, 300)),
});

function answerReview(waiting: number, results: Review[]) {
  const lines = results.flatMap(({ listing, reasons }, index) => [
    renderRows([listing], index + 1),
    ...reasons.map((reason) => `   - ${reason}`),
  ]);
  return { data: { waiting, results }, text: [`${waiting} waiting.`, ...lines].join('\n') };
}
