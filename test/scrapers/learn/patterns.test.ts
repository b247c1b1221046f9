import { describe, expect, test } from 'vitest';
import { parsePage } from '../../../scrapers/extract/page.ts';
import { induceLinkPattern } from '../../../scrapers/learn/link-pattern.ts';
import { inducePaginationPattern, readPager } from '../../../scrapers/learn/pagination-pattern.ts';
import { patternProblem } from '../../../shared/scrapers/pattern.ts';

const site = 'https://boats.example';
const on = (paths: string[]) => paths.map((path) => `${site}${path}`);
const menu = on(['/', '/about', '/contact', '/sailing', '/motor?sort=price', '/account/login']);

describe('the pattern of the links to things', () => {
  test.each([
    ['a number', ['/listing/4711', '/listing/4712', '/listing/90210'], '/listing/12'],
    [
      'a number and words',
      ['/b/4711-bavaria-37.html', '/b/812-najad.html', '/b/77-dehler-36.html'],
      '/b/5-contest.html',
    ],
    ['words and a number', ['/red-ketch-x4711.php', '/sloop-x812.php', '/blue-yawl-x77.php'], '/old-boat-x1.php'],
    ['folders that differ', ['/sail/kiel/4711', '/motor/bonn/812', '/sail/ulm/77'], '/motor/rom/5'],
    ['a parameter', ['/show.php?id=4711', '/show.php?id=812', '/show.php?id=77'], '/show.php?id=5'],
    [
      'words alone, in a folder of their own',
      ['/boats/red-ketch', '/boats/sloop', '/boats/blue-yawl'],
      '/boats/old-boat',
    ],
  ])('%s: fits another thing of the kind, and nothing of the menu', (_, things, other) => {
    const induced = induceLinkPattern(on(things), menu, `${site}/sailing`);
    const pattern = new RegExp(induced?.pattern ?? '$^');
    expect(on([...things, other]).filter((url) => !pattern.test(url))).toEqual([]);
    expect(menu.filter((url) => pattern.test(url))).toEqual([]);
    expect(induced).toMatchObject({ coverage: 1, strays: 0 });
    expect(patternProblem(induced?.pattern ?? '')).toBeUndefined();
  });

  test('a folder that is there because of the page looked at is no part of it', () => {
    const things = on(['/kiel/4711-ketch', '/kiel/812-sloop', '/kiel/77-yawl']);
    const { pattern = '$^' } = induceLinkPattern(things, menu, `${site}/kiel`) ?? {};
    expect(new RegExp(pattern).test(`${site}/bonn/5-dinghy`)).toBe(true);
  });

  test('no example, no pattern', () => {
    expect(induceLinkPattern([], menu, site)).toBeUndefined();
  });
});

describe('the pattern of the pages of a list', () => {
  const pagerOf = (url: string, html: string) => readPager(parsePage(html, url));
  const numbered = (hrefs: string[]) => hrefs.map((href, index) => `<a href="${href}">${index + 1}</a>`).join(' ');

  test.each([
    ['a parameter', '/boats', ['/boats?page=1', '/boats?page=2', '/boats?page=3'], '/boats?page=17'],
    ['a folder', '/boats/', ['/boats/page/1/', '/boats/page/2/', '/boats/page/3/'], '/boats/page/17/'],
    ['a file', '/boats/', ['/boats/index1.html', '/boats/index2.html', '/boats/index3.html'], '/boats/index17.html'],
    ['an offset', '/boats', ['/boats?start=0', '/boats?start=20', '/boats?start=40'], '/boats?start=340'],
  ])('%s, told by numbers alone', (_, own, hrefs, other) => {
    const pattern = inducePaginationPattern([pagerOf(site + own, numbered(hrefs))], menu);
    expect(new RegExp(pattern ?? '$^').test(site + other)).toBe(true);
    expect(menu.filter((url) => new RegExp(pattern ?? '').test(url))).toEqual([]);
  });

  test('two links are enough where the first page has no number', () => {
    const links = '<a href="/show.php?t=53">1</a> <a href="/show.php?t=53&amp;page=2">2</a> <b>3</b>';
    const pattern = new RegExp(inducePaginationPattern([pagerOf(`${site}/thread53-3.html`, links)], menu) ?? '$^');
    expect([pattern.test(`${site}/show.php?t=99&page=7`), pattern.test(`${site}/show.php?t=53`)]).toEqual([
      true,
      false,
    ]);
  });

  test('days of a calendar and sizes of pages turn nothing', () => {
    const days = [3, 4, 5].map((day) => `<a href="/?m=2016030${day}">${day}</a>`).join(' ');
    const sizes = [24, 48, 96].map((size) => `<a href="/?size=${size}">${size}</a>`).join(' ');
    expect(pagerOf(`${site}/`, days + sizes)).toMatchObject({ numbered: [], turns: [] });
  });

  test('what turns the pages of the things themselves is not matched', () => {
    const threads = on(['/thread.php?t=9&page=2', '/thread.php?t=8&page=2', '/thread.php?t=7&page=2']);
    const pager = pagerOf(
      `${site}/board.php?f=4`,
      numbered(['/board.php?f=4&page=1', '/board.php?f=4&page=2', '/board.php?f=4&page=3']),
    );
    const pattern = new RegExp(inducePaginationPattern([pager], [...menu, ...threads]) ?? '');
    expect([pattern.test(`${site}/board.php?f=4&page=9`), threads.some((url) => pattern.test(url))]).toEqual([
      true,
      false,
    ]);
  });
});
