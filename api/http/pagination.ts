/** Where a page stands: from 1 on, of `pages` with `limit` entries each, `total` in all. */
export const paginationOf = (page: number, limit: number, total: number) => ({
  page,
  limit,
  total,
  pages: Math.ceil(total / limit),
});
