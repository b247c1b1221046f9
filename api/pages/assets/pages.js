// Everything works without this script: it spares a click or a reload here and there.
for (const select of document.querySelectorAll('select[data-submit]'))
  select.addEventListener('change', () => select.form.requestSubmit());

async function shareAddress(button) {
  const address = { title: document.title, url: location.href };
  // Rejects where the person closes the sheet.
  if (navigator.share) return navigator.share(address).catch(() => {});
  await navigator.clipboard.writeText(address.url);
  button.nextElementSibling.textContent = button.dataset.share;
}

for (const button of document.querySelectorAll('button[data-share]')) {
  button.hidden = false;
  button.addEventListener('click', () => void shareAddress(button));
}

// On narrow screens filters begin closed, so that results are seen first.
const filters = document.querySelector('details.filters');
if (filters && matchMedia('(max-width: 56rem)').matches) filters.open = false;
