import { api, withQuery } from '../api.js';
import { formatBytes, formatCompact, formatNumber } from '../format.js';
import { html } from '../html.js';
import { JobRun } from '../job-run.js';
import { priceOf } from '../listing-view.js';
import { useLive } from '../live.js';
import { Button, Pagination, Section, Select, Status, Table, Tile, Time } from '../parts.js';
import { useQuery } from '../route.js';

function View() {
  return html`<${Expiry} />
    <${Pictures} />
    <${WithoutPictures} />`;
}

const listingColumns = [
  {
    title: 'Listing',
    grow: true,
    render: (listing) =>
      html`<a href="#/listings/${listing.id}">${listing.title}</a><span class="faint cut">${listing.seller.name}, ${listing.location.country}</span>`,
  },
  { title: 'Status', render: (listing) => html`<${Status} of=${listing.status} />` },
  {
    title: 'Price',
    align: 'end',
    phone: false,
    render: (listing) => html`<span class="number">${priceOf(listing)}</span>`,
  },
];

function Expiry() {
  const [{ days = '7', expiringPage = '1' }, setQuery] = useQuery();
  const path = withQuery('/api/admin/listings/expiring', { days, page: expiringPage, limit: 10 });
  const polled = useLive((options) => api.get(path, options), { on: ['listing.'], inputs: [path] });
  const act = (name) => async () => {
    const answer = await api.post(`/api/admin/${name}`);
    await polled.refresh();
    return answer;
  };
  const failures = (errors) =>
    errors.length > 0 ? `, ${formatNumber(errors.length)} could not: ${errors[0].message}` : '';
  const aside = html`<${Select}
      label="Days"
      value=${days}
      options=${['1', '7', '30', '90']}
      onChange=${(value) => setQuery({ days: value, expiringPage: '' })}
    />
    <${Button}
      confirm=${{
        title: 'Let listings expire now?',
        text: 'Those whose time is over leave the search; the service does this itself every quarter of an hour.',
        action: 'Let them expire',
      }}
      onClick=${act('expire-listings')}
      done=${({ expired, errors }) => `${formatNumber(expired)} listings have expired${failures(errors)}.`}
    >
      Expire now
    <//>
    <${Button}
      confirm=${{
        title: 'Remind owners now?',
        text: 'Owners get one mail seven days before, and one a day before; never the same twice.',
        action: 'Remind them',
      }}
      onClick=${act('notify-expiring')}
      done=${({ notified, errors }) => `${formatNumber(notified)} reminders are queued${failures(errors)}.`}
    >
      Remind owners
    <//>`;
  const columns = [
    ...listingColumns,
    { title: 'Expires', align: 'end', render: (listing) => html`<${Time} at=${listing.expires_at} />` },
  ];
  return html`<${Section} title="Listings that expire soon" live=${polled} aside=${aside}>
    <${Table}
      label="Listings that expire soon"
      columns=${columns}
      rows=${polled.data?.results}
      stale=${polled.stale}
      keyOf=${({ id }) => id}
      empty="No listing expires in these days."
    />
    <${Pagination}
      label="Pages of what expires"
      of=${polled.data?.pagination}
      onPage=${(next) => setQuery({ expiringPage: next })}
    />
  <//>`;
}

function Pictures() {
  const polled = useLive((options) => api.get('/api/admin/image-stats', options), { everyMs: 60_000 });
  const { data } = polled;
  const columns = [
    { title: 'Why pictures could not be fetched', grow: true, render: ({ reason }) => reason },
    { title: 'Count', align: 'end', render: ({ count }) => formatNumber(count) },
  ];
  return html`<div class="columns">
    <${Section} title="Pictures" live=${polled}>
      <div class="stack">
        <div class="tiles">
          <${Tile}
            name="Stored"
            value=${formatCompact(data?.stored.pictures)}
            note=${formatBytes(data?.stored.bytes)}
          />
          <${Tile}
            name="Listings with"
            value=${formatCompact(data?.listings.with_images)}
            note="of ${formatCompact(data?.listings.total)}"
          />
          <${Tile}
            name="Without"
            value=${formatCompact(data?.listings.without_images)}
            note="${formatCompact(data?.listings.waiting)} wait for one"
          />
          <${Tile} name="To fetch" value=${formatCompact(data?.remote.pending)} />
          <${Tile}
            name="Could not be fetched"
            value=${formatCompact(data?.remote.failed)}
            tone=${data?.remote.failed > 0 ? 'bad' : ''}
          />
          <${Tile} name="Unused uploads" value=${formatCompact(data?.stored.unused_uploads)} />
        </div>
        ${
          data?.failures.length > 0 &&
          html`<${Table} label="Failures" columns=${columns} rows=${data.failures} keyOf=${({ reason }) => reason} />`
        }
          </div>
    <//>
    <${JobRun}
      queue="requeue-images"
      title="Missing pictures"
      about="Sends every listing whose pictures are still to come, or could not be fetched, to the workers that fetch them."
      startPath="/api/admin/localize-images"
      startLabel="Fetch missing pictures"
    />
  </div>`;
}

const statuses = ['draft', 'active', 'paused', 'expired', 'flagged'];
const sources = ['api', 'web', 'seed', 'scraped'];

function WithoutPictures() {
  const [{ status = '', source = '', older = '0', page = '1' }, setQuery] = useQuery();
  const filters = { status, source, older_than_days: older };
  const path = withQuery('/api/admin/zero-image-listings', { ...filters, page, limit: 10 });
  const polled = useLive((options) => api.get(path, options), { on: ['listing.'], inputs: [path] });
  const total = polled.data?.pagination.total ?? 0;
  const remove = async () => {
    const answer = await api.delete(withQuery('/api/admin/zero-image-listings', filters));
    await polled.refresh();
    return answer;
  };
  const change = (name) => (value) => setQuery({ [name]: value, page: '' });
  const aside = html`<${Select}
      label="Status"
      value=${status}
      options=${[['', 'all'], ...statuses]}
      onChange=${change('status')}
    />
    <${Select} label="Source" value=${source} options=${[['', 'all'], ...sources]} onChange=${change('source')} />
    <${Select}
      label="Older than"
      value=${older}
      options=${[
        ['0', 'any age'],
        ['7', '7 days'],
        ['30', '30 days'],
        ['180', '180 days'],
      ]}
      onChange=${change('older')}
    />
    <${Button}
      kind="danger"
      disabled=${total === 0 || polled.stale}
      confirm=${{
        title: `Delete ${formatNumber(Math.min(total, 1_000))} listings without pictures?`,
        text: 'Those of the list as filtered now, oldest first. Drafts that owners still work on may be among them.',
        action: 'Delete them',
      }}
      onClick=${remove}
      done=${({ deleted, remaining }) =>
        `${formatNumber(deleted)} listings are deleted, ${formatNumber(remaining)} are left.`}
    >
      Delete these
    <//>`;
  const columns = [
    ...listingColumns,
    { title: 'Source', phone: false, render: ({ meta }) => meta.source },
    { title: 'Made', align: 'end', render: (listing) => html`<${Time} at=${listing.created_at} />` },
  ];
  return html`<${Section} title="Listings without pictures" live=${polled} aside=${aside}>
    <${Table}
      label="Listings without pictures"
      columns=${columns}
      rows=${polled.data?.results}
      stale=${polled.stale}
      keyOf=${({ id }) => id}
      empty="Every such listing shows a picture, or waits for one."
    />
    <${Pagination} of=${polled.data?.pagination} onPage=${(next) => setQuery({ page: next })} />
  <//>`;
}

export const page = { path: '#/upkeep', title: 'Expiry and pictures', short: 'Upkeep', shortcut: 'g e', View };
