import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A certificate with its key, in PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface TestAuthority {
  /** The folder with `ca.crt`, and for each name `NAME.crt` and `NAME.key`. */
  readonly folder: string;
  readonly ca: string;
  /** Issues a certificate for `NAME.test`. */
  issue(name: string): Promise<TestCertificate>;
  remove(): Promise<void>;
}

/** A certificate authority of its own, made with openssl. */
export async function createTestAuthority(): Promise<TestAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-ca-'));
  const file = (name: string) => join(folder, name);
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const pair = (name: string) => ['-keyout', file(`${name}.key`)];
  const ca = ['-subj', '/CN=Test CA', '-days', '2', '-out', file('ca.crt'), ...pair('ca')];
  await run('openssl', ['req', '-x509', ...kind, ...ca]);
  return {
    folder,
    ca: await readFile(file('ca.crt'), 'utf8'),
    async issue(name) {
      await run('openssl', ['req', ...kind, '-subj', `/CN=${name}.test`, '-out', file(`${name}.csr`), ...pair(name)]);
      await writeFile(file(`${name}.ext`), `subjectAltName=DNS:${name}.test\n`);
      const signing = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2'];
      const request = ['-in', file(`${name}.csr`), '-extfile', file(`${name}.ext`), '-out', file(`${name}.crt`)];
      await run('openssl', ['x509', '-req', ...signing, ...request]);
      return { cert: await readFile(file(`${name}.crt`), 'utf8'), key: await readFile(file(`${name}.key`), 'utf8') };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
