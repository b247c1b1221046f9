import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that mostly wait: for processes to start, and for others to notice that one has gone. */
const waits = /\/test\/(?:faults|start)\/|\/scrapers\/(?:run|cli|refresh|crawl\/process)|\/db\/embedded|\/console/;
/** What takes more than a minute by itself: two that work, then two that mostly wait, and so on. */
const longest = [
  /\/hostile-sizes\./,
  /\/dictionary\./,
  /\/politeness\/pace\./,
  /\/kill-keyed\./,
  /\/fuzz\./,
  /\/dedup-dealer-stock\./,
  /\/cli\/scrape\./,
];
/** Files that take longest of the others that work. */
const works = /\/test\/contract\/|\/publish-bulk/;
/** So many files that work for one that waits. */
const SHARE = 5;

/** Starts early what takes long, and spreads what waits among what works: the processors have something to do until the end. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const alone = sorted.filter(({ project }) => project.config.isolate);
    const together = sorted.filter(({ project }) => !project.config.isolate);
    const first = longest.flatMap((name) => together.filter(({ moduleId }) => name.test(moduleId)));
    const others = together.filter((file) => !first.includes(file));
    const waiting = others.filter(({ moduleId }) => waits.test(moduleId));
    const rest = others.filter(({ moduleId }) => !waits.test(moduleId));
    const working = [
      ...rest.filter(({ moduleId }) => works.test(moduleId)),
      ...rest.filter(({ moduleId }) => !works.test(moduleId)),
    ];
    const mixed = working.flatMap((file, at) => (at % SHARE === 0 ? [...waiting.splice(0, 1), file] : [file]));
    return [...alone, ...first, ...mixed, ...waiting];
  }
}
