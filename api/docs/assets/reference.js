// The reference: Scalar over this service's own document. The reader's key stays in this page, and nothing is asked of other hosts.
import { createApiReference } from './scalar/standalone.esm.js';

// Addresses of operations as the page had them before: #/listings/searchListings.
const [, tag, operation] = /^#\/([\w-]+)\/(\w+)$/.exec(location.hash) ?? [];
if (operation) history.replaceState(null, '', `#tag/${tag}/${operation}`);

document.querySelector('#reference').replaceChildren();
createApiReference('#reference', {
  url: new URL('docs/openapi.json', document.baseURI).href,
  pageTitle: document.title,
  persistAuth: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: {
    ...hideAll(
      'c clojure csharp dart fsharp go http java js julia kotlin node objc ocaml php powershell r ruby rust swift',
    ),
    shell: ['httpie', 'wget'],
    python: ['python3', 'aiohttp', 'httpx_sync', 'httpx_async'],
  },
  generateOperationSlug: ({ operationId }) => operationId,
  operationTitleSource: 'summary',
  documentDownloadType: 'none',
  showDeveloperTools: 'never',
  hideClientButton: true,
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  externalUrls: { proxyUrl: '', apiBaseUrl: '', registryUrl: '', dashboardUrl: '' },
});

function hideAll(targets) {
  return Object.fromEntries(targets.split(' ').map((target) => [target, true]));
}

// What the library leaves out for those who use no mouse: buttons with an icon alone get a name, boxes that scroll the focus.
function mend() {
  for (const button of document.querySelectorAll('.scalar-code-copy:not([aria-label])')) button.ariaLabel = 'Copy';
  for (const box of document.querySelectorAll('.custom-scroll:not([tabindex], button *)')) box.tabIndex = 0;
}
let isDue = false;
new MutationObserver(() => {
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    mend();
  }, 200);
}).observe(document.body, { childList: true, subtree: true });
