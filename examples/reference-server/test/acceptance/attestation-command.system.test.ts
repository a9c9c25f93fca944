import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaFaults } from '../../../../scripts/publishing/bills-of-materials.mjs';
import { runAcceptanceCommand } from '../../acceptance/acceptance-command.js';
import { acceptanceChecks } from '../../acceptance/checks.js';
import { openTestBench, type TestBench } from '../support/test-app.js';
import { type Target, target, unhurried } from './acceptance-run.js';

describe('the acceptance command with --attestation', { timeout: 300_000 }, () => {
  let bench: TestBench;
  let server: Target;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-attestation-'));
    bench = await openTestBench();
    const config = bench.config(unhurried);
    server = await target(config, bench.resources(config));
  });
  afterAll(async () => {
    await server.app.close();
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(file: string, only: string, token = server.token) {
    let errors = '';
    const status = await runAcceptanceCommand({
      argv: ['--url', server.url.href, '--only', only, '--attestation', join(folder, file)],
      env: { ACCEPTANCE_TOKEN: token },
      checks: acceptanceChecks,
      ask: async () => null,
      signal: new AbortController().signal,
      write: () => {},
      writeError: (text) => {
        errors += text;
      },
    });
    return { status, errors };
  }

  it('DOC-4 writes what it saw, valid, for its owner alone, and without the token', async () => {
    expect(await run('seen.cdx.json', 'privileges.tokens')).toMatchObject({ status: 0 });
    const path = join(folder, 'seen.cdx.json');
    const text = await readFile(path, 'utf8');
    expect(await schemaFaults(text)).toEqual([]);
    expect(text).not.toContain(server.token);
    expect((await stat(path)).mode & 0o077).toBe(0);
    const { metadata, declarations } = JSON.parse(text);
    expect(metadata.component).toMatchObject({ name: '@sallyport/reference-server', version: expect.any(String) });
    const refs: string[] = declarations.claims.map((claim: Record<string, string>) => claim['bom-ref']);
    const seen = refs.filter((ref) => ref.startsWith('claim:deployment:'));
    expect(seen.sort()).toEqual(
      ['V14.2.1', 'V7.2.1', 'V9.1.1', 'V9.1.2', 'V9.2.3', 'V9.2.4'].map((id) => `claim:deployment:${id}`),
    );
    expect(declarations.targets.services[0].endpoints).toEqual([server.url.href]);
  });

  it('DOC-4 replaces no file, before anything is attacked, and leaves none if nothing was checked', async () => {
    const before = await readFile(join(folder, 'seen.cdx.json'), 'utf8');
    const again = await run('seen.cdx.json', 'privileges.tokens');
    expect(again).toMatchObject({ status: 2, errors: expect.stringContaining('EEXIST') });
    expect(await readFile(join(folder, 'seen.cdx.json'), 'utf8')).toBe(before);
    expect((await run('refused.cdx.json', 'privileges.tokens', 'nobodys.token.atall')).status).toBe(2);
    expect(await readdir(folder)).toEqual(['seen.cdx.json']);
  });
});
