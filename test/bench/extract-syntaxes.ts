import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { extractStructured } from '../../scrapers/extract/structured.ts';
import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { dataFile } from '../support/data.ts';
import { printFigures } from './extract-data.ts';

const SYNTAXES = ['MICRODATA', 'RDFA', 'JSON'];
const THINGS = /\b(?:Product|IndividualProduct|ProductModel|Offer|AggregateOffer|Car|Vehicle|Motorcycle)\b/;

/** One reference example, written in several syntaxes: what each of them gave. */
export type Example = {
  head: string;
  answers: { syntax: string; source: string; record: Partial<RawRecord> | undefined }[];
};

/** Reads the reference examples about things for sale in all their syntaxes; undefined where the folder is absent. */
export function readExamples(): Example[] | undefined {
  const path = dataFile('html-schemaorg-examples/schemaorg-all-examples-30.0.txt.gz');
  if (path === undefined) return undefined;
  const blocks = gunzipSync(readFileSync(path))
    .toString('utf8')
    .split(/^TYPES:/m)
    .slice(1);
  return blocks.flatMap((block) => {
    const [head = '', ...rest] = block.split(/^(PRE-MARKUP|MICRODATA|RDFA|JSON):\s*$/m);
    if (!THINGS.test(head)) return [];
    const answers = SYNTAXES.flatMap((syntax) => {
      const at = rest.indexOf(syntax);
      const source = at === -1 ? '' : (rest[at + 1] ?? '').trim();
      if (source.length <= 40) return [];
      const markup = syntax === 'JSON' && !source.includes('<script') ? asScript(source) : source;
      return [{ syntax, source, record: extractStructured(`<body>${markup}</body>`, 'https://site.example/page')[0] }];
    });
    return answers.length < 2 ? [] : [{ head: head.trim().replace(/\s+/g, ' '), answers }];
  });
}

/**
 * The facts in which the syntaxes of an example contradict each other. A fact that only some of them state is none, nor one
 * that the example itself writes differently.
 */
export function disagreements({ answers }: Example): string[] {
  const fields = ['title', 'price', 'currency', 'sku', 'brand', 'availability', 'model', 'gtin'] as const;
  return fields.filter((field) => {
    const said = answers.flatMap(({ source, record }) => (record?.[field] ? [{ source, text: record[field] }] : []));
    return said.some(({ source, text }) =>
      said.some((other) => plain(other.text) !== plain(text) && source.includes(other.text)),
    );
  });
}

/** Prints how many examples say the same in all their syntaxes, and those that do not. */
export function benchSyntaxes(): void {
  const examples = readExamples();
  if (!examples) return;
  const told = examples.filter(({ answers }) => answers.some(({ record }) => record !== undefined));
  const whole = told.filter(({ answers }) => answers.every(({ record }) => record !== undefined));
  const agreeing = told.filter((example) => disagreements(example).length === 0);
  for (const example of told) {
    const fields = disagreements(example);
    const silent = example.answers.filter(({ record }) => record === undefined).map(({ syntax }) => syntax);
    if (fields.length > 0) console.log(`  ${example.head.slice(0, 60)}: other ${fields.join(', ')}`);
    if (silent.length > 0) console.log(`  ${example.head.slice(0, 60)}: nothing in ${silent.join(', ')}`);
  }
  printFigures(`${told.length} examples of things for sale in several syntaxes`, [
    { name: 'found in all their syntaxes', value: whole.length / told.length, target: 0.95 },
    { name: 'without a contradiction', value: agreeing.length / told.length, target: 0.95 },
  ]);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

function asScript(json: string): string {
  return `<script type="application/ld+json">${json}</script>`;
}
