// `node packages/upload-policy/bench/corpus.mjs`: the verdicts on the corpus, and the cost of archive bombs.
import { existsSync, readFileSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';
import { inspectUpload, UPLOAD_POLICY_DEFAULTS } from '@sallyport/upload-policy';

const own = new URL('../test/corpus/', import.meta.url);
const shared = new URL('../../../../shared/corpus/', import.meta.url);
const { files } = JSON.parse(readFileSync(new URL('manifest.json', own), 'utf8'));
const sourceOf = (bytes) => ({ size: bytes.length, read: async (at, length) => bytes.subarray(at, at + length) });

const groups = {
  'genuine, and harmless': { words: ['accept', 'accept-serve-safe'], accepted: 0, refused: 0 },
  'disguised, broken, or not allowed': { words: ['refuse', 'refuse-recommended'], accepted: 0, refused: 0 },
  'either, by the manifest': { words: null, accepted: 0, refused: 0 },
};
const surprises = [];
let absent = 0;
for (const { file, uploadName: fileName, mediaType, expected } of files) {
  const url = [own, shared].map((folder) => new URL(file, folder)).find((place) => existsSync(place));
  if (url === undefined) {
    absent++;
    continue;
  }
  const verdict = await inspectUpload(
    { fileName, mediaType, source: sourceOf(readFileSync(url)) },
    UPLOAD_POLICY_DEFAULTS,
  );
  const [name, group] = Object.entries(groups).find(([, { words }]) => words === null || words.includes(expected));
  group[verdict.accepted ? 'accepted' : 'refused']++;
  const isSurprise =
    (name.startsWith('genuine') && !verdict.accepted) || (name.startsWith('disguised') && verdict.accepted);
  if (isSurprise) surprises.push(`${file} as ${fileName}: ${JSON.stringify(verdict)}`);
}
console.log('| files | accepted | refused |\n| --- | --- | --- |');
for (const [name, { accepted, refused }] of Object.entries(groups))
  console.log(`| ${name} | ${accepted} | ${refused} |`);
for (const surprise of surprises) console.log(`NOT AS EXPECTED: ${surprise}`);
if (absent > 0) console.log(`${absent} file(s) of the corpus are neither in the repository nor next to it`);

const MEBIBYTE = 1024 * 1024;
const bombs = {
  '30 MiB, declared': { bytes: 30 * MEBIBYTE, declared: 30 * MEBIBYTE },
  '1 GiB, declared as 200 MiB': { bytes: 1024 * MEBIBYTE, declared: 200 * MEBIBYTE, padding: 4 * MEBIBYTE },
  '250 MiB in an archive of 4 MiB': { bytes: 250 * MEBIBYTE, declared: 250 * MEBIBYTE, padding: 4 * MEBIBYTE },
};
console.log('\n| bomb | verdict | milliseconds | memory, MiB |\n| --- | --- | --- | --- |');
for (const [name, bomb] of Object.entries(bombs)) {
  const bytes = bombOf(bomb);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  const start = performance.now();
  const candidate = { fileName: 'a.zip', mediaType: 'application/zip', source: sourceOf(bytes) };
  const verdict = await inspectUpload(candidate, UPLOAD_POLICY_DEFAULTS);
  const millis = Math.round(performance.now() - start);
  clearInterval(watch);
  const outcome = verdict.accepted ? 'accepted' : verdict.reason;
  console.log(`| ${name} | ${outcome} | ${millis} | ${Math.round((most - before) / MEBIBYTE)} |`);
}
process.exitCode = surprises.length > 0 ? 1 : 0;

/** A ZIP of one entry of zeros, deflated piece by piece, and one stored entry that gives the archive its size. */
function bombOf({ bytes, declared, padding = 0 }) {
  const piece = deflateRawSync(Buffer.alloc(2 * MEBIBYTE), { finishFlush: 3 });
  const pieces = Array.from({ length: bytes / (2 * MEBIBYTE) }, () => piece);
  let crc = 0;
  for (const _ of pieces) crc = crc32(Buffer.alloc(2 * MEBIBYTE), crc);
  const zeros = { name: 'a', data: Buffer.concat([...pieces, Buffer.from([3, 0])]), declared, method: 8, crc };
  const filler = Buffer.alloc(padding, 1);
  const entries = [zeros, { name: 'b', data: filler, declared: padding, method: 0, crc: crc32(filler) }];
  const locals = [];
  const directory = [];
  let place = 0;
  for (const { name, data, declared: size, method, crc: sum } of entries) {
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50);
    local.writeUInt16LE(method, 8);
    local.writeUInt32LE(sum, 14);
    local.writeUInt32LE(data.length, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50);
    local.copy(central, 6, 4, 28);
    central.writeUInt32LE(place, 42);
    locals.push(local, Buffer.from(name), data);
    directory.push(central, Buffer.from(name));
    place += 30 + name.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(place, 16);
  return Buffer.concat([...locals, ...directory, end]);
}
