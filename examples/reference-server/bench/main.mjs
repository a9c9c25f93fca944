// `pnpm run bench [--quick] [PRF-3 …]`: runs the benchmarks of the pipeline one after another on a built server. Each
// server under load and each load generator is a separate process. Rounds of bare Fastify alternate with ours.
import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { build } from '../../../scripts/build.mjs';
import { benches } from './benches.mjs';

const options = process.argv.slice(2).filter((word) => word.startsWith('--'));
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const unknown = asked.filter((id) => benches.every((bench) => bench.id !== id));
if (unknown.length > 0) {
  process.stderr.write(`${unknown.join(', ')}: known are ${benches.map(({ id }) => id).join(', ')}\n`);
  process.exit(1);
}

build();
const [{ model }] = cpus();
const gigabytes = Math.round(totalmem() / 1024 ** 3);
process.stdout.write(`Node ${process.version}, ${cpus().length} × ${model}, ${gigabytes} GB\n`);

const failed = benches
  .filter(({ id }) => asked.length === 0 || asked.includes(id))
  .filter(({ id, script, what }) => {
    process.stdout.write(`\n${id}: ${what}\n`);
    const path = fileURLToPath(new URL(script, import.meta.url));
    return spawnSync(process.execPath, ['--import', 'tsx', path, ...options], { stdio: 'inherit' }).status !== 0;
  });
if (failed.length > 0) process.stderr.write(`\nnot measured: ${failed.map(({ id }) => id).join(', ')}\n`);
process.exit(failed.length === 0 ? 0 : 1);
