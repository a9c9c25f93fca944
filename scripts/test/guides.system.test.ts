import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { followPage } from '../guides/follow.mjs';
import { createServices } from '../readme-services.mjs';

let work: string;
const services = createServices();

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'sallyport-guides-'));
});

afterAll(async () => {
  await services.stop();
  rmSync(work, { recursive: true, force: true });
});

describe('what following a page finds', () => {
  const sh = (name: string, ...lines: string[]) => ['```sh '.concat(name).trim(), ...lines, '```', ''].join('\n');
  const faultsOf = async (page: string) =>
    (await followPage(page, { folder: mkdtempSync(join(work, 'page-')), services })).faults;

  test('DOC-1 a command that fails, and an output that is not as the page says, by their lines', async () => {
    const page = sh('', 'echo one', '# one', 'echo two', '# three', 'false');
    expect(await faultsOf(page)).toEqual([
      { line: 4, message: expect.stringContaining('printed:\ntwo\nexpected:\nthree') },
      { line: 6, message: expect.stringContaining('failed: 1') },
    ]);
  });

  test('DOC-1 a server that does not say what the page says, and a page that does not say what it prints', async () => {
    const talks = (name: string, ...expected: string[]) => sh(name, 'echo listening; exec sleep 600', ...expected);
    expect(await faultsOf(talks('server', '# …listening…') + sh('', 'echo one', '# one'))).toEqual([]);
    expect(await faultsOf(talks('server'))).toEqual([
      { line: 2, message: expect.stringContaining('does not say what the server prints') },
    ]);
    const ends = sh('server', 'echo refused', '# …listening…');
    expect(await faultsOf(ends)).toEqual([{ line: 2, message: expect.stringContaining('printed:\nrefused') }]);
  });

  test('DOC-1 a server goes on beside others, until a block of the same name', async () => {
    const serve = (text: string) =>
      `node -e 'require("http").createServer((_, r) => r.end("${text}")).listen(process.env.PORT, () => console.log("up"))'`;
    const page = [
      sh('server', serve('old'), '# …up…'),
      sh('', 'curl -s http://127.0.0.1:3000', '# old'),
      sh('server', serve('new'), '# …up…'),
      sh('server-2', 'echo up; exec sleep 600', '# …up…'),
      sh('', 'curl -s http://127.0.0.1:3000', '# new'),
    ];
    expect(await faultsOf(page.join('\n'))).toEqual([]);
  });

  test('DOC-1 a program without a file, and one that nothing runs', async () => {
    const page = ['```js', '1;', '```', '```js lost.mjs', '1;', '```', '```js used.mjs', '1;', '```', ''].join('\n');
    const faults = await faultsOf(page + sh('', 'node used.mjs'));
    expect(faults.map(({ message }) => message)).toEqual([
      'does not say to which file it is saved',
      'nothing after it runs lost.mjs',
    ]);
  });
});
