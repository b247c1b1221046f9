import { load, type CheerioAPI } from 'cheerio';
import type { TestApp, TestUser } from './app.ts';

/** A page as a browser without script has it. */
export type SeenPage = { status: number; headers: Headers; path: string; text: string; $: CheerioAPI };

type Fields = Record<string, string | readonly string[] | undefined>;
type SendOptions = { headers?: Record<string, string>; files?: readonly File[]; button?: string; follow?: boolean };

/** A browser without script: it keeps cookies, follows redirects, and sends the forms of the page it is on. */
export type PageVisitor = {
  open(path: string, headers?: Record<string, string>): Promise<SeenPage>;
  /** Sends a form of the last page, its fields as they stand but for those given; undefined takes a field away. */
  send(form: string, fields?: Fields, options?: SendOptions): Promise<SeenPage>;
  page(): SeenPage;
  cookie(): string;
};

/** Visits the pages of an app, signed in as a user when one is given. */
export function visitPages({ url }: Pick<TestApp, 'url'>, user?: Pick<TestUser, 'token'>): PageVisitor {
  const cookies = new Map(user ? [['session', user.token]] : []);
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  let last: SeenPage | undefined;

  async function request(path: string, init: RequestInit, follow = true): Promise<SeenPage> {
    const headers = { Accept: 'text/html', Cookie: cookie(), ...(init.headers as Record<string, string>) };
    const response = await fetch(new URL(path, url), { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keep(line);
    const location = response.headers.get('location');
    if (follow && response.status === 303 && location !== null) {
      await response.arrayBuffer();
      return request(location, {});
    }
    const text = await response.text();
    last = { status: response.status, headers: response.headers, path, text, $: load(text) };
    return last;
  }

  function keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
    else cookies.set(name, value);
  }

  const page = () => {
    if (!last) throw new Error('no page is open');
    return last;
  };

  return {
    open: async (path, headers = {}) => request(path, { headers }),
    async send(selector, fields = {}, { headers = {}, files, button, follow = true } = {}) {
      const { $, path } = page();
      const form = $(selector).first();
      if (form.length === 0) throw new Error(`no form ${selector} on ${path}: ${page().text.slice(0, 2_000)}`);
      const sent = form.serializeArray().filter(({ name }) => !(name in fields));
      const pairs = [...sent.map(({ name, value }) => [name, value] as const), ...pairsOf(fields)];
      const pressed = button === undefined ? undefined : form.find(button).first();
      if (pressed) pairs.push([pressed.attr('name') ?? '', pressed.attr('value') ?? '']);
      const action = new URL(form.attr('action') ?? path, new URL(path, url)).href;
      if (form.attr('method')?.toLowerCase() !== 'post')
        return request(
          `${action.split('?', 1).join()}?${new URLSearchParams(pairs as never).toString()}`,
          { headers },
          follow,
        );
      const body = files === undefined ? new URLSearchParams(pairs as never) : new FormData();
      for (const file of files ?? []) body.append('files', file as never);
      return request(action, { method: 'POST', body, headers }, follow);
    },
    page,
    cookie,
  };
}

const pairsOf = (fields: Fields) =>
  Object.entries(fields).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => [name, each] as [string, string]),
  );
