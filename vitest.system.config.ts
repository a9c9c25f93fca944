import { defineConfig } from 'vitest/config';
import { systemProjects } from './vitest.workspace.ts';

// Two files at a time, whatever the machine: each starts processes of its own, and waits more than it computes.
export default defineConfig({
  test: { projects: systemProjects, globalSetup: './scripts/test-services.ts', maxWorkers: 2 },
});
