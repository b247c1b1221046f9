import { expect, test } from 'vitest';
import { arrangeImages, imageKeyOf, ownImageOf, toStoredImages } from '../../../shared/listings/images.ts';

const sha = (letter: string) => letter.repeat(64);
const picture = (letter: string, position = 0) => ({ sha256: sha(letter), alt: null, position });
const keys = (images: { key?: string }[]) => images.map(({ key }) => key?.slice(7, 8));
const stored = (letters: string) => [...letters].map((letter) => ({ key: imageKeyOf(sha(letter)) }));

test('our own pictures are known by their address, thumbnails and foreign addresses are not', () => {
  const key = imageKeyOf(sha('a'));
  expect(ownImageOf(`https://s.example.com/static/${key}`, 'https://s.example.com/static')).toBe(sha('a'));
  expect(ownImageOf(`https://evil.example.com/static/${key}`, 'https://s.example.com/static')).toBeUndefined();
  expect(
    ownImageOf(`https://s.example.com/static/${key.replace('.webp', '-thumb.webp')}`, 'https://s.example.com/static'),
  ).toBeUndefined();
  expect(ownImageOf(`https://s.example.com/static/../${key}`, 'https://s.example.com/static')).toBeUndefined();
});

test('each picture is shown once, ten at most', () => {
  expect(keys(toStoredImages([picture('a'), picture('b'), picture('a')]))).toEqual(['a', 'b']);
  expect(toStoredImages([...'0123456789abcdef'].map((letter) => picture(letter)))).toHaveLength(10);
});

test('pictures that arrive stand where the record has them, those of the seller stay', () => {
  expect(keys(arrangeImages([], [picture('c', 2), picture('a', 0), picture('b', 1)]))).toEqual(['a', 'b', 'c']);
  expect(keys(arrangeImages(stored('b'), [picture('a', 0), picture('b', 1), picture('c', 2)]))).toEqual([
    'a',
    'b',
    'c',
  ]);
  expect(keys(arrangeImages(stored('xa'), [picture('a', 3), picture('b', 4)]))).toEqual(['x', 'a', 'b']);
});

test('nothing changes when nothing has arrived', () => {
  const current = stored('cab');
  expect(arrangeImages(current, [])).toEqual(current);
  expect(arrangeImages(current, [picture('c', 0), picture('a', 1)])).toEqual(current);
});
