import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../free-port.mjs';
import { createProject } from '../readme-project.mjs';

let work: string;
let project: ReturnType<typeof createProject>;

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'sallyport-readme-project-'));
  project = createProject(join(work, 'project'), { shelf: '', environment: { GIVEN: 'given' } });
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

const listening = `import { createServer } from 'node:http';
const port: number = Number(process.env.PORT ?? 3000);
createServer((_, response) => response.end('hello')).listen(port, '127.0.0.1');
`;

describe('programs of a README', () => {
  test('ADP-8 a program that listens goes on until it is stopped, and the shell calls it', async () => {
    const port = await freePort();
    project.write('server.mts', listening);
    const program = await project.start('server.mts', port);
    const shell = project.openShell();
    try {
      expect(program).toMatchObject({ listens: true, exitCode: null });
      expect(await shell.run(`curl -s http://127.0.0.1:${port}`)).toMatchObject({ code: 0, output: 'hello' });
    } finally {
      await shell.close();
      expect(await program.stop()).toBe(null);
    }
  });

  test('ADP-8 a program that ends shows its code and what it printed', async () => {
    project.write('fails.mts', "console.log('almost'); console.error('broken'); process.exit(3);");
    const program = await project.start('fails.mts', await freePort());
    expect(program).toMatchObject({ listens: false, exitCode: 3 });
    expect(program.output()).toContain('almost');
    expect(program.output()).toContain('broken');
  });

  test('ADP-8 a server that crashes while it is called is seen when it is stopped', async () => {
    const port = await freePort();
    project.write('crashes.mts', `${listening}setTimeout(() => process.exit(7), 300);`);
    const program = await project.start('crashes.mts', port);
    expect(program.listens).toBe(true);
    await expect.poll(() => fetch(`http://127.0.0.1:${port}`).catch(() => 'gone'), { timeout: 20_000 }).toBe('gone');
    expect(await program.stop()).toBe(7);
  });

  test('ADP-8 ts is compiled strictly, with the packages that are installed and no others', () => {
    project.write('typed.mts', "const port: number = '3000';\nconst f = (x) => x;\nexport { port, f };\n");
    const output = project.compile('typed.mts');
    expect(output).toContain('typed.mts(1,7): error TS2322');
    expect(output).toContain('typed.mts(2,12): error TS7006');
    project.write('missing.mts', "import 'node:http';\nimport 'fastify';\n");
    expect(project.compile('missing.mts')).toMatch(/^missing\.mts\(2,8\): error TS\d+: [^\n]*fastify[^\n]*\n$/);
  });
});

describe('the shell of a README', () => {
  test('ADP-8 keeps variables from block to block, and tells the code and the output of each command', async () => {
    const shell = project.openShell();
    try {
      expect(await shell.run('token=abc')).toMatchObject({ code: 0, output: '' });
      expect(await shell.run('echo "$token $GIVEN"; echo no >&2')).toMatchObject({
        code: 0,
        output: 'abc given\n',
        errors: 'no\n',
      });
      expect(await shell.run('false')).toMatchObject({ code: 1 });
      expect(await shell.run('exit 4')).toMatchObject({ code: 'it ended the shell' });
    } finally {
      await shell.close();
    }
  });

  test('ADP-8 runs tsx without an installation', async () => {
    const shell = project.openShell();
    try {
      project.write('says.mts', 'const text: string = "said"; console.log(text);');
      expect(await shell.run('tsx says.mts')).toMatchObject({ code: 0, output: 'said\n' });
    } finally {
      await shell.close();
    }
  });
});
