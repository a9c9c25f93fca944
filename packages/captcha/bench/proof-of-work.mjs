// `pnpm bench:proof-of-work`: what a proof of work costs on this machine (CAP-2): a page, Node.js, the server, and
// attackers. Times are processor time where the system reports it, the best of five rounds.
import { availableParallelism, cpus } from 'node:os';
import { PROOF_OF_WORK_DEFAULTS } from '@sallyport/captcha';
import { ofChromium, ofLanes, ofNode, ofOpenssl } from './proof-of-work/solvers.mjs';

const { cost, memoryMebibytes, puzzles } = PROOF_OF_WORK_DEFAULTS;
const n = memoryMebibytes * 1024;
const say = (line) => process.stdout.write(`${line}\n`);

const page = await ofChromium(n);
const rows = [
  ['a page in Chromium, in a worker', page],
  ['Node.js, `solve`', ofNode(n)],
  ['an attacker with OpenSSL', ofOpenssl(n)],
  ['an attacker with eight lanes in AVX2', await ofLanes(n)],
];

say(`Node ${process.version}, ${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} cores`);
say(`${cost} evaluations of ${memoryMebibytes} MiB on average, ${puzzles} puzzles\n`);
say('| who                                  | one evaluation | one proof | 1000 proofs | a page is slower by |');
say('| ------------------------------------ | -------------: | --------: | ----------: | ------------------: |');
for (const [who, millis] of rows) {
  const cells =
    millis === null
      ? ['–', '–', '–', '–']
      : [
          `${millis.toFixed(2)} ms`,
          `${((millis * cost) / 1000).toFixed(2)} s`,
          `${Math.round(millis * cost)} s`,
          page === null ? '–' : `${(page / millis).toFixed(1)} ×`,
        ];
  const widths = [14, 9, 11, 19];
  say(`| ${who.padEnd(36)} | ${cells.map((cell, i) => cell.padStart(widths[i])).join(' | ')} |`);
}
const check = ofOpenssl(n);
say(`\nThe server: ${check.toFixed(1)} ms for a false proof, ${(check * puzzles).toFixed(0)} ms for a right one.`);
