// `node packages/envelope-crypto/bench/ghash/main.mjs [--rounds 31]`, after `pnpm run build`: why the portable suite
// has its own GHASH. The suite is bundled twice, with its own GHASH and with that of `@noble/ciphers/_polyval.js`. The
// bundles take turns in this process. Prints the medians of their processor time, and the size of the browser client
// with each.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { bundleSize } from '../../../../scripts/client-size.mjs';
import { inProcess, timeInTurns } from '../interleaved.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '31' } } });
const rounds = Number(values.rounds);

const SIZES = { '256 B': 256, '1 KiB': 1024, '4 KiB': 4096, '64 KiB': 65_536 };

/** The associated data of an envelope has about this length. */
const AAD_BYTES = 110;

const dist = (path) => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));

/** Replaces the file `gm/ghash.js` of a bundle by noble's GHASH. */
const nobleGhash = {
  name: 'noble-ghash',
  setup({ onResolve }) {
    onResolve({ filter: /\/ghash\.js$/ }, () => ({
      path: fileURLToPath(new URL('noble-ghash.mjs', import.meta.url)),
    }));
  },
};

async function loadSuite(plugins) {
  const { outputFiles } = await build({
    entryPoints: [dist('suites/index.js')],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: [],
    write: false,
    plugins,
  });
  const source = Buffer.from(outputFiles[0].contents).toString('base64');
  const { sm2Sm4GcmV1 } = await import(`data:text/javascript;base64,${source}`);
  return sm2Sm4GcmV1;
}

const suites = { own: await loadSuite([]), noble: await loadSuite([nobleGhash]) };

async function compare(operation, work) {
  const results = Object.values(suites).map((suite) => Buffer.from(work(suite)).toString('hex'));
  if (new Set(results).size !== 1) throw new Error(`${operation}: the results differ`);
  const contenders = Object.entries(suites).map(([name, suite]) => [name, inProcess(() => work(suite))]);
  const { own, noble } = await timeInTurns(Object.fromEntries(contenders), rounds);
  process.stdout.write(
    `${operation}: own ${own.toFixed(1)} µs, noble ${noble.toFixed(1)} µs, ${(noble / own).toFixed(2)} times as much\n`,
  );
}

const [key, iv, aad] = [16, 12, AAD_BYTES].map((length) => randomBytes(length));
process.stdout.write(`Node ${process.version}, ${rounds} rounds, processor time\n`);
for (const [size, length] of Object.entries(SIZES)) {
  const plaintext = randomBytes(length);
  await compare(`SM4-GCM seal and open, ${size}`, ({ sealMessage, openMessage }) =>
    openMessage(key, iv, aad, sealMessage(key, iv, aad, plaintext)),
  );
}

for (const [name, plugins] of Object.entries({ own: [], noble: [nobleGhash] })) {
  const { gzipped } = await bundleSize(dist('client/index.js'), 'createEnvelopeClient', plugins);
  process.stdout.write(`browser client with ${name}: ${gzipped} bytes gzipped\n`);
}
