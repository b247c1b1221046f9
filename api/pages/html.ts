import { escapeHtml } from '../../shared/kit/html.ts';

/** Markup that is safe to send: made by `html`, which escapes whatever is no markup itself. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What a template may hold: lists are joined; nothing, false and null leave nothing. */
export type Child = Markup | string | number | false | null | undefined | readonly Child[];

/** Template tag for HTML: every value is escaped unless it is Markup. Attribute values have to stand in double quotes. */
export function html(strings: TemplateStringsArray, ...children: Child[]): Markup {
  let text = strings[0]!;
  for (let index = 0; index < children.length; index += 1) text += render(children[index]) + strings[index + 1]!;
  return new Markup(text);
}

/** Trusted text as it is: styles, scripts and JSON of our own. */
export const raw = (text: string): Markup => new Markup(text);

export function render(child: Child): string {
  if (typeof child === 'string') return escapeHtml(child);
  if (child instanceof Markup) return child.text;
  if (child === undefined || child === null || child === false) return '';
  if (typeof child === 'object') return child.map(render).join('');
  return escapeHtml(String(child));
}

/** JSON inside a script element: no value can end the element. */
export const jsonScript = (type: string, value: unknown): Markup =>
  raw(`<script type="${type}">${JSON.stringify(value).replaceAll('<', String.raw`\u003c`)}</script>`);
