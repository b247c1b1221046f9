import { expect, test } from 'vitest';
import { parseEcbRates } from '../../../shared/rates/parse-ecb-rates.ts';

const envelope = (cubes: string) => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
  <Cube>${cubes}</Cube>
</gesmes:Envelope>`;

test('the daily form gives its day and its rates', () => {
  const xml = envelope(
    `<Cube time='2026-11-20'><Cube currency='USD' rate='1.1493'/><Cube currency='JPY' rate='179.70'/></Cube>`,
  );
  expect(parseEcbRates(xml)).toEqual({ date: '2026-11-20', rates: { USD: 1.1493, JPY: 179.7 } });
});

test('a namespace prefix of any name does not matter, nor do double quotes', () => {
  const xml = `<e:Envelope xmlns:e="urn:x"><e:Cube><e:Cube time="2026-11-20"><e:Cube currency="USD" rate="1.1"/></e:Cube></e:Cube></e:Envelope>`;
  expect(parseEcbRates(xml)).toEqual({ date: '2026-11-20', rates: { USD: 1.1 } });
});

test('of several days the newest counts, wherever it stands', () => {
  const day = (time: string, rate: string) => `<Cube time='${time}'><Cube currency='USD' rate='${rate}'/></Cube>`;
  expect(parseEcbRates(envelope(day('2026-11-19', '1.2') + day('2026-11-20', '1.1')))).toEqual({
    date: '2026-11-20',
    rates: { USD: 1.1 },
  });
});

test('currencies that are no longer in use, and the euro itself, are left out', () => {
  const xml = envelope(
    `<Cube time='2026-11-20'><Cube currency='EUR' rate='1'/><Cube currency='HRK' rate='7.5'/><Cube currency='SEK' rate='11.1'/></Cube>`,
  );
  expect(parseEcbRates(xml).rates).toEqual({ SEK: 11.1 });
});

test.each([
  ['a page of HTML', '<html><body>Service unavailable</body></html>'],
  ['nothing', ''],
  ['a day without rates', envelope(`<Cube time='2026-11-20'></Cube>`)],
  ['a day that is none', envelope(`<Cube time='yesterday'><Cube currency='USD' rate='1.1'/></Cube>`)],
  ['a rate of 0', envelope(`<Cube time='2026-11-20'><Cube currency='USD' rate='0'/></Cube>`)],
  ['a rate that is no number', envelope(`<Cube time='2026-11-20'><Cube currency='USD' rate='N/A'/></Cube>`)],
  ['an endless rate', envelope(`<Cube time='2026-11-20'><Cube currency='USD' rate='1e999'/></Cube>`)],
])('%s is no table', (_what, xml) => {
  expect(() => parseEcbRates(xml)).toThrow(/^The feed/);
});
