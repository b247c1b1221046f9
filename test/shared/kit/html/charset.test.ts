import { describe, expect, test } from 'vitest';
import { decodeHtml } from '../../../../shared/kit/html/charset.ts';

/** The bytes of a text in an encoding that only a decoder exists for: by trying every pair of bytes. */
function encode(text: string, label: string): Buffer {
  const decoder = new TextDecoder(label);
  const bytes = new Map<string, number[]>();
  for (let first = 0x80; first < 0x100; first += 1) {
    const single = decoder.decode(Uint8Array.of(first));
    if (single.length === 1 && single !== '\ufffd') bytes.set(single, [first]);
    for (let second = 0x40; second < 0x100; second += 1) {
      const pair = decoder.decode(Uint8Array.of(first, second));
      if (pair.length === 1 && pair !== '\ufffd' && !bytes.has(pair)) bytes.set(pair, [first, second]);
    }
  }
  return Buffer.from([...text].flatMap((sign) => (sign < '\u0080' ? sign.charCodeAt(0) : (bytes.get(sign) ?? [0x3f]))));
}

const SAMPLES: [label: string, text: string][] = [
  ['windows-1250', 'Prodám loď, délka 8 metrů, cena dohodou. Žluté plachty, výbava'],
  ['windows-1251', 'Продаётся парусная яхта, длина восемь метров, цена договорная'],
  ['windows-1252', 'Gebrauchtes Segelboot für 4.500 € – größer als üblich'],
  ['windows-1254', 'Satılık yelkenli tekne, İzmir, çok temiz, ağustos şartı'],
  ['iso-8859-2', 'Sprzedam łódź żaglową, cena do negocjacji, świetny stan'],
  ['iso-8859-15', 'Bateau à vendre, 4 500 €, très bon état, œuvres vives'],
  ['koi8-r', 'Продается парусная яхта, длина восемь метров, цена договорная'],
  ['shift_jis', 'ヨットを売ります。全長八メートル、状態良好、価格は相談'],
  ['euc-jp', 'ヨットを売ります。全長八メートル、状態良好、価格は相談'],
  ['euc-kr', '요트 팝니다. 길이 팔 미터, 상태 좋음, 가격 협의'],
  ['gb18030', '出售帆船，长八米，状况良好，价格面议'],
  ['big5', '出售帆船，長八米，狀況良好，價格面議'],
];

describe.each(SAMPLES)('a page in %s', (label, text) => {
  test('is read by its meta tag, and by the header alone', () => {
    const head = `<html><head><meta charset="${label}"></head><body>`;
    expect(decodeHtml(Buffer.concat([Buffer.from(head), encode(text, label)]), undefined)).toBe(head + text);
    expect(decodeHtml(encode(text, label), `text/html; charset=${label}`)).toBe(text);
  });

  test('is read as UTF-8 when that is what it is in truth', () => {
    const head = `<html><head><meta http-equiv="Content-Type" content="text/html; charset=${label}"></head><body>`;
    expect(decodeHtml(Buffer.from(head + text), undefined)).toBe(head + text);
  });
});

describe('a page that declares no encoding', () => {
  test.each([
    ['ru', 'windows-1251'],
    ['ru', 'koi8-r'],
    ['cs', 'windows-1250'],
    ['ja', 'shift_jis'],
    ['ja', 'euc-jp'],
    ['ko', 'euc-kr'],
    ['zh', 'gb18030'],
    ['tr', 'windows-1254'],
    ['de', 'windows-1252'],
  ])('is read by its language: %s in %s', (language, label) => {
    const text = SAMPLES.find(([name]) => name === label)?.[1] ?? '';
    const head = `<html lang="${language}"><body>`;
    expect(decodeHtml(Buffer.concat([Buffer.from(head), encode(text, label)]), undefined)).toBe(head + text);
  });

  test('is Cyrillic when its words are', () => {
    const [, text = ''] = SAMPLES[1] ?? [];
    expect(decodeHtml(encode(text, 'windows-1251'), undefined)).toBe(text);
  });
});

test('a page that calls itself UTF-8 and is not is read as what it is; one broken sign alone changes nothing', () => {
  const head = '<html lang="nl"><head><meta charset="utf-8"></head><body>';
  const dutch = Buffer.concat([Buffer.from(head), encode('toonaangevend: dát is één bank, café', 'windows-1252')]);
  expect(decodeHtml(dutch, undefined)).toContain('dát is één bank, café');
  const cut = Buffer.concat([Buffer.from(`${head}größer, schöner, süßer `), Buffer.of(0xc3)]);
  expect(decodeHtml(cut, undefined)).toContain('größer, schöner, süßer');
});
