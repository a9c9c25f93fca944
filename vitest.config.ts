import { defineConfig } from 'vitest/config';
import projects from './vitest.workspace.ts';

// One worker for each core; by default Vitest leaves one core out, which on two cores is half the machine.
export default defineConfig({
  test: {
    projects,
    globalSetup: './scripts/test-services.ts',
    maxWorkers: '100%',
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/vitest-report.json' }]],
  },
});
