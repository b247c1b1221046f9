import type { KnownPage } from './spec.ts';

type Answer = Promise<KnownPage | undefined>;

/** Asks for known pages in batches: with the page that is wanted go those that will be wanted soon, whose answers are kept. */
export function createPageBatches(ask: (pages: string[]) => Promise<(KnownPage | undefined)[]>) {
  const kept = new Map<string, Answer>();
  return async (page: string, soon: () => readonly string[]): Answer => {
    const known = kept.get(page);
    if (known) {
      kept.delete(page);
      return known;
    }
    const pages = [page, ...soon().filter((other) => !kept.has(other))];
    const answers = ask(pages);
    for (const [index, other] of pages.entries()) {
      const answer = answers.then((all) => all[index]);
      // Told by the visit that wants it, if any does.
      answer.catch(() => undefined);
      if (other !== page) kept.set(other, answer);
    }
    return (await answers)[0];
  };
}
