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

// The menu closes where anything else is touched, and with Escape.
for (const menu of document.querySelectorAll('.menu')) {
  addEventListener('click', ({ target }) => menu.contains(target) || (menu.open = false));
  addEventListener('keydown', ({ key }) => key === 'Escape' && (menu.open = false));
}

// The gallery: buttons for the previous and the next photo, small ones that move it without a place in the address, and which one is shown.
for (const gallery of document.querySelectorAll('.gallery:has(.turn)')) {
  const photos = gallery.querySelector('.photos');
  const [back, on] = gallery.querySelectorAll('.turn');
  const small = [...gallery.querySelectorAll('.small-photos a')];
  const shown = () => Math.round(photos.scrollLeft / photos.clientWidth);
  const show = (index) => photos.scrollTo({ left: index * photos.clientWidth, behavior: 'smooth' });
  const mark = () => {
    const index = shown();
    back.disabled = index <= 0;
    on.disabled = index >= small.length - 1;
    gallery.querySelector('.place').textContent = `${index + 1} / ${small.length}`;
    for (const [at, link] of small.entries()) link.setAttribute('aria-current', String(at === index));
  };
  back.addEventListener('click', () => show(shown() - 1));
  on.addEventListener('click', () => show(shown() + 1));
  for (const [index, link] of small.entries())
    link.addEventListener('click', (event) => {
      event.preventDefault();
      show(index);
    });
  photos.addEventListener('scroll', mark, { passive: true });
  back.hidden = on.hidden = false;
  mark();
}

// A form that is on its way is not sent twice, unless its answer is a file; where files are chosen, they are sent at once.
for (const form of document.querySelectorAll('form[method="post"]:not([data-again])'))
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'true';
  });
for (const input of document.querySelectorAll('input[type="file"][data-submit]'))
  input.addEventListener('change', () => {
    input.form.querySelector('button').textContent = input.dataset.submit;
    input.form.requestSubmit();
  });
// A page that comes back from the browser's own store may send its forms again.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});

// Times are shown in the reader's own zone.
const time = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
for (const each of document.querySelectorAll('time[data-time]'))
  each.textContent = time.format(new Date(each.dateTime));

// What was done is told once: the address without it is the one to keep.
const here = new URL(location.href);
if (here.searchParams.has('done')) {
  here.searchParams.delete('done');
  history.replaceState(null, '', here);
}
