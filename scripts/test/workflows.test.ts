import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readManifest } from '../publishing/manifests.mjs';
import { RUNTIMES } from '../runtime-table.mjs';

const root = new URL('../../', import.meta.url);
const folder = new URL('.github/workflows/', root);
const manifest = readManifest('package.json') as {
  engines: { node: string };
  packageManager: string;
  scripts: Record<string, string>;
};

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, string | number | boolean>;
}

interface Job {
  uses?: string;
  steps?: Step[];
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  strategy?: { matrix: { node?: string[] } };
}

interface Workflow {
  name: string;
  on: Record<string, unknown>;
  permissions?: Record<string, string>;
  concurrency?: { group: string; 'cancel-in-progress': boolean | string };
  jobs: Record<string, Job>;
}

const texts = new Map(readdirSync(folder).map((file) => [file, readFileSync(new URL(file, folder), 'utf8')] as const));
const workflows = new Map([...texts].map(([file, text]) => [file, parse(text) as Workflow] as const));
const jobs = [...workflows].flatMap(([file, { jobs: all }]) =>
  Object.entries(all).map(([id, job]) => ({ name: `${file}: ${id}`, job })),
);
const steps = jobs.flatMap(({ name, job }) => (job.steps ?? []).map((step) => ({ name, step })));

describe('the workflows', () => {
  test('PUB-1 there is one for changes and one for releases, and the second runs the first', () => {
    expect([...texts.keys()]).toEqual(['ci.yml', 'release.yml']);
    expect(workflows.get('release.yml')?.jobs.ci?.uses).toBe('./.github/workflows/ci.yml');
    expect(Object.keys(workflows.get('ci.yml')?.on ?? {})).toEqual(['pull_request', 'workflow_call']);
  });

  test('PUB-1 every action is pinned by the commit, and a comment says which release that is', () => {
    const uses = [...texts.values()].flatMap((text) =>
      [...text.matchAll(/\buses: *(.+)$/gm)].map(([, line = '']) => line),
    );
    const foreign = uses.filter((line) => !line.startsWith('./'));
    expect(foreign.length).toBeGreaterThan(5);
    expect(foreign.filter((line) => !/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    const pins = new Map(foreign.map((line) => [line.slice(0, line.indexOf('@')), line]));
    expect(foreign.filter((line) => pins.get(line.slice(0, line.indexOf('@'))) !== line)).toEqual([]);
  });

  test('PUB-1 nothing is allowed to a workflow, and each job says what it may do', () => {
    expect([...workflows.values()].map(({ permissions }) => permissions)).toEqual([{}, {}]);
    const writing = jobs.flatMap(({ name, job }) =>
      Object.entries(job.permissions ?? { all: 'undeclared' })
        .filter(([, access]) => access !== 'read')
        .map(([scope, access]) => `${name} ${scope}: ${access}`),
    );
    expect(writing).toEqual([
      'release.yml: versions contents: write',
      'release.yml: versions pull-requests: write',
      'release.yml: publish contents: write',
      'release.yml: publish id-token: write',
    ]);
  });

  test('PUB-1 each job ends by itself, and no two releases run at once', () => {
    const limits = jobs.filter(({ job }) => job.uses === undefined).map(({ job }) => job['timeout-minutes']);
    expect(limits.every((minutes) => minutes !== undefined && minutes <= 120)).toBe(true);
    expect(workflows.get('release.yml')?.concurrency?.['cancel-in-progress']).toBe(false);
    const groups = [...workflows.values()].map(({ concurrency }) => concurrency?.group.split('$')[0]);
    expect(groups).toEqual(['ci-', 'release-']);
  });

  test('PUB-1 the Node releases are those of engines, from its lowest', () => {
    const lines = RUNTIMES.filter(({ name }) => name.startsWith('node@')).map(({ name }) => name.slice('node@'.length));
    const lowest = manifest.engines.node.replace('>=', '');
    expect(lines[0]).toBe(lowest);
    expect(workflows.get('ci.yml')?.jobs.tests?.strategy?.matrix.node).toEqual([
      lowest.replace(/\.0$/, ''),
      ...lines.slice(1).filter((line) => line !== lowest.split('.')[0]),
    ]);
    const others = steps.map(({ step }) => step.with?.['node-version']).filter((version) => version !== undefined);
    const fixed = others.filter((version) => !String(version).includes('matrix.node'));
    expect(fixed.filter((version) => !lines.includes(String(version)))).toEqual([]);
  });

  test('PUB-1 every command is there: scripts of package.json by its package manager, and files', () => {
    const commands = steps.flatMap(({ step }) => [step.run, step.with?.version, step.with?.publish]).map(String);
    const called = commands.flatMap((command) => [
      ...command.matchAll(/\bnpx --yes (\S+) (?:--silent )?(?:run )?(\S+)/g),
    ]);
    expect(called.length).toBeGreaterThan(6);
    for (const [, manager, name = ''] of called) {
      expect(manager).toBe(manifest.packageManager);
      expect([...Object.keys(manifest.scripts), 'install']).toContain(name);
    }
    const files = commands.flatMap((command) => command.match(/(?<=\s)\.ci\/\w+/g) ?? []);
    expect(files.map((file) => statSync(new URL(file, root)).mode & 0o111)).toEqual([0o111]);
  });

  test('PUB-1 nothing that a stranger writes gets into a command, and no secret into a job that does not publish', () => {
    expect(steps.filter(({ step }) => step.run?.includes('${{'))).toEqual([]);
    expect([...texts.values()].join('\n')).not.toMatch(/pull_request_target|workflow_run/);
    expect(
      [...texts].flatMap(([file, text]) => (text.match(/secrets\.\w+/g) ?? []).map((found) => `${file} ${found}`)),
    ).toEqual(['release.yml secrets.NPM_TOKEN']);
    const checkouts = steps.filter(({ step }) => step.uses?.startsWith('actions/checkout@'));
    expect(checkouts.length).toBeGreaterThan(3);
    expect(checkouts.filter(({ step }) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });
});
