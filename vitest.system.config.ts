import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { systemProjects } from './vitest.workspace.ts';

/** What takes minutes begins first, or one worker would end with it while the others have nothing left to do. */
const LONGEST = [
  'console-plain',
  'lost-ends',
  'nonce-loss',
  // A browser computes much, so the two runs of the console do not begin together.
  'console-sealed',
  'failed-starts',
  'audited-changes',
  'abuse',
  'acceptance-holes',
  'stop-without-redis',
  'upload-crashes',
  'hostile',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.system.test.ts`));
      return place === -1 ? LONGEST.length : place;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

// Whatever the machine: each file starts processes of its own, and waits more than it computes.
export default defineConfig({
  test: {
    projects: systemProjects,
    globalSetup: './scripts/test-services.ts',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
