import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build as bundle } from 'esbuild';
import { build as buildWithVite } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Programs that need a thread of a package. Each prints `works`, or the code and the message of the refusal. */
const programs = {
  captcha: `import { createImageRenderer } from '@sallyport/captcha/image';
    async function start() {
      const renderer = createImageRenderer({ threads: 1 });
      await renderer('AEGK');
      await renderer.close();
    }`,
  'password-hashing': `import { createPasswordHashing } from '@sallyport/password-hashing';
    async function start() {
      const passwords = createPasswordHashing({ cost: 10 });
      await passwords.hash('correct horse');
      await passwords.close();
    }`,
  'envelope-crypto': `import { randomBytes } from 'node:crypto';
    import envelopeCrypto from '@sallyport/envelope-crypto';
    import replayGuard from '@sallyport/replay-guard';
    import { createMemoryStore } from '@sallyport/ttl-store';
    import Fastify from 'fastify';
    async function start() {
      const app = Fastify();
      const privateKey = randomBytes(32).toString('hex');
      await app.register(envelopeCrypto, { mode: 'REQUIRED', keyId: 'k', privateKey, backend: 'portable' });
      await app.register(replayGuard, { store: createMemoryStore() });
      await app.ready();
      await app.close();
    }`,
} as const;
const PROGRAM_END = `
start().then(
  () => console.log('works'),
  (error) => console.log(error.code, error.message),
).then(() => process.exit(0));`;

type Name = keyof typeof programs;
const codes: Record<Name, string> = {
  captcha: 'CAPTCHA_SETUP_INVALID',
  'password-hashing': 'PASSWORD_HASHING_SETUP_INVALID',
  'envelope-crypto': 'ENVELOPE_SETUP_INVALID',
};
const names = Object.keys(programs) as Name[];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-bundles-'));
  mkdirSync(join(folder, 'node_modules/@sallyport'), { recursive: true });
  for (const name of [...names, 'replay-guard', 'ttl-store', 'plugin-kit']) {
    symlinkSync(join(root, 'packages', name), join(folder, 'node_modules/@sallyport', name), 'dir');
  }
  symlinkSync(join(root, 'node_modules/fastify'), join(folder, 'node_modules/fastify'), 'dir');
  for (const name of names) writeFileSync(join(folder, `${name}.mjs`), programs[name] + PROGRAM_END);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function output(file: string): Promise<string> {
  return (await run(process.execPath, [file], { cwd: folder, timeout: 60_000 })).stdout.trim();
}

/** A module that a bundle of CommonJS packages needs, as teams write it. */
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

async function bundled(name: Name, format: 'cjs' | 'esm', external: string[] = []): Promise<string> {
  const outfile = join(folder, `out/${name}-${format}-${external.length}.${format === 'cjs' ? 'cjs' : 'mjs'}`);
  await bundle({
    ...{ entryPoints: [join(folder, `${name}.mjs`)], outfile, absWorkingDir: folder, external, format },
    ...{ bundle: true, platform: 'node', logLevel: 'silent' },
    ...(format === 'esm' && { banner: { js: REQUIRE } }),
  });
  return output(outfile);
}

async function builtForServer(name: Name, external: string[]): Promise<string> {
  const outDir = join(folder, `vite-${name}-${external.length}`);
  await buildWithVite({
    ...{ root: folder, configFile: false, logLevel: 'silent' },
    ssr: { noExternal: true, external: ['fastify', 'piscina', ...external] },
    build: { ssr: join(folder, `${name}.mjs`), outDir, emptyOutDir: false, target: 'node20' },
  });
  symlinkSync(join(root, 'packages/captcha/node_modules/piscina'), join(folder, 'node_modules/piscina'), 'dir');
  try {
    return await output(join(outDir, `${name}.mjs`));
  } finally {
    rmSync(join(folder, 'node_modules/piscina'));
  }
}

describe.each(names)('ADP-13 a bundle that carries %s', (name) => {
  const refusal = new RegExp(
    `^${codes[name]} .* is not in the folder of this code, as in a bundle.*--external:@sallyport/${name} for esbuild, ssr\\.external`,
  );

  it.each(['cjs', 'esm'] as const)(
    'of esbuild, as %s, refuses and says what works',
    { timeout: 120_000 },
    async (format) => {
      expect(await bundled(name, format)).toMatch(refusal);
      expect(await bundled(name, format, [`@sallyport/${name}`])).toBe('works');
    },
  );

  it('of Vite for a server refuses and says what works', { timeout: 120_000 }, async () => {
    expect(await builtForServer(name, [])).toMatch(refusal);
    expect(await builtForServer(name, [`@sallyport/${name}`])).toBe('works');
  });
});
