// ENV-11: the size of @sallyport/envelope-crypto/client in a browser, bundled and minified as by an application's
// build, then compressed as by a server. `node scripts/client-size.mjs [folder of a built or installed package]`.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Maximum size of the client in a browser, in gzipped bytes. */
export const MAX_CLIENT_BYTES = 22_000;

/**
 * The sizes of a program that imports a function from a file.
 * @param {string} file
 * @param {string} name
 * @param {import('esbuild').Plugin[]} plugins
 */
export async function bundleSize(file, name, plugins = []) {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { ${name} } from ${JSON.stringify(file)};\nglobalThis.used = ${name};`,
      resolveDir: '/',
    },
    bundle: true,
    minify: true,
    platform: 'browser',
    // A source file imports the sources of other packages: they need not be built.
    conditions: file.endsWith('.ts') ? ['@sallyport/source'] : [],
    format: 'esm',
    target: 'es2022',
    write: false,
    // Licence notices go to a separate file, as usual in browser builds.
    legalComments: 'external',
    outdir: '/',
    plugins,
    logLevel: 'error',
  });
  const bundle = outputFiles.find(({ path }) => path.endsWith('.js'));
  if (bundle === undefined) throw new Error(`nothing was bundled from ${file}`);
  return { minified: bundle.contents.length, gzipped: gzipSync(bundle.contents, { level: 9 }).length };
}

/**
 * Prints the sizes of the client, and throws where it is over the limit.
 * @param {string} folder of the package
 */
export async function checkClientSize(folder) {
  const client = await bundleSize(`${folder}/dist/client/index.js`, 'createEnvelopeClient');
  const kernel = await bundleSize(`${folder}/dist/client/kernel.js`, 'kernel');
  const inBytes = ({ minified, gzipped }) => `${minified} bytes minified, ${gzipped} gzipped`;
  process.stdout.write(`envelope client: ${inBytes(client)} (at most ${MAX_CLIENT_BYTES})\n`);
  process.stdout.write(`envelope client's kernel, where it is chosen: ${inBytes(kernel)}\n`);
  if (client.gzipped > MAX_CLIENT_BYTES) throw new Error('ENV-11: the envelope client is too large for a browser');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await checkClientSize(process.argv[2] ?? fileURLToPath(new URL('../packages/envelope-crypto', import.meta.url)));
}
