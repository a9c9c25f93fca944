import { defineConfig } from 'vitest/config';
import { systemProjects } from './vitest.workspace.ts';

// One file at a time: each starts processes of its own and loads the machine.
export default defineConfig({
  test: { projects: systemProjects, globalSetup: './scripts/test-services.ts', maxWorkers: 1 },
});
