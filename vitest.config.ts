import { defineConfig } from 'vitest/config';
import projects from './vitest.workspace.ts';

// One worker for each core; by default Vitest leaves one core out, which on two cores is half the machine.
export default defineConfig({
  test: {
    projects,
    globalSetup: './scripts/test-services.ts',
    maxWorkers: '100%',
    reporters: ['default', 'json'],
    // Not an option of the reporter, which would win over `--outputFile.json`.
    outputFile: { json: 'node_modules/.cache/vitest-report.json' },
  },
});
