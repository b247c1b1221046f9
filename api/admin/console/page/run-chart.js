import { formatMoment, formatNumber } from './format.js';
import { html } from './html.js';

const height = 56;
const most = 40;

/** The last runs of a scraper as bars as high as what they found, coloured by how they ended; each leads to its run. */
export function RunChart({ runs }) {
  const shown = (runs ?? []).slice(0, most).toReversed();
  if (shown.length < 2) return null;
  const highest = Math.max(1, ...shown.map(({ records_found: found }) => found));
  const succeeded = shown.filter(({ status }) => status === 'succeeded').length;
  return html`<figure class="run-chart">
    <figcaption class="faint">${succeeded} of the last ${shown.length} runs succeeded</figcaption>
    <ol>
      ${shown.map((run) => {
        const part = Math.max(3, Math.round((run.records_found / highest) * height));
        const told = `${formatMoment(run.started_at ?? run.created_at)}: ${run.status}, ${formatNumber(run.records_found)} records`;
        return html`<li key=${run.id}>
          <a href="#/runs/${run.id}" title=${told} aria-label=${told}>
            <svg viewBox="0 0 10 ${height}" preserveAspectRatio="none" aria-hidden="true">
              <rect class=${run.status} x="0" width="10" y=${height - part} height=${part} />
            </svg>
          </a>
        </li>`;
      })}
    </ol>
  </figure>`;
}
