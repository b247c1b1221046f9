import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that mostly wait: for processes to start, and for others to notice that one has gone. */
const waits = /\/test\/(?:faults|start)\/|\/scrapers\/(?:run|cli|refresh)|\/db\/embedded|\/console/;
/** What takes minutes by itself. */
const longest = /\/hostile-sizes/;
/** Files that take longest of those that work. */
const works = /\/test\/contract\/|\/publish-bulk/;
/** So many files that work for one that waits. */
const SHARE = 5;

/** Starts early what takes long, and spreads what waits among what works: the processors have something to do until the end. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const alone = sorted.filter(({ project }) => project.config.isolate);
    const together = sorted.filter(({ project }) => !project.config.isolate);
    const waiting = together.filter(({ moduleId }) => waits.test(moduleId));
    const rest = together.filter(({ moduleId }) => !waits.test(moduleId));
    const working = [
      ...rest.filter(({ moduleId }) => longest.test(moduleId)),
      ...rest.filter(({ moduleId }) => works.test(moduleId) && !longest.test(moduleId)),
      ...rest.filter(({ moduleId }) => !works.test(moduleId)),
    ];
    const mixed = working.flatMap((file, at) => (at % SHARE === 0 ? [...waiting.splice(0, 1), file] : [file]));
    return [...alone, ...mixed, ...waiting];
  }
}
