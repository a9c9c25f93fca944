import { spawnSync } from 'node:child_process';
import { getCiphers } from 'node:crypto';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { canStartRedisCluster } from './redis-cluster.js';
import { redisServerMajor } from './redis-process.js';

/** Debian installs some programs outside of a user's PATH. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** The path of the first of these programs that is here, or null. */
export function findProgram(...names: readonly string[]): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_FOLDERS];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync) ?? null;
}

/** Chromium, or null. The program that has no windows takes a third of the time of the other one. */
export function findChromium(): string | null {
  return findProgram('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome');
}

const fromRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * What a test may need beyond Node.js and its packages, and whether it is here. `install` says how to get it; null:
 * a property of the machine, which CI may lack too. Requirement TST-2.
 */
const needs = {
  redis: {
    isHere: () => Boolean(process.env.TEST_REDIS_URL) || redisServerMajor !== null,
    install: 'apt-get install redis-server, or set TEST_REDIS_URL',
  },
  'redis-server': { isHere: () => redisServerMajor !== null, install: 'apt-get install redis-server' },
  'redis-cluster': { isHere: () => canStartRedisCluster, install: 'apt-get install redis-server' },
  chromium: {
    isHere: () => findChromium() !== null,
    install: 'apt-get install chromium-headless-shell, or chromium',
  },
  openssl: {
    isHere: () => /\bSM2\b/.test(outputOf('openssl', 'ecparam', '-list_curves')),
    install: 'apt-get install openssl',
  },
  nginx: { isHere: () => findProgram('nginx') !== null, install: 'apt-get install nginx-light' },
  rsyslog: { isHere: () => findProgram('rsyslogd') !== null, install: 'apt-get install rsyslog rsyslog-gnutls' },
  'systemd-analyze': { isHere: () => findProgram('systemd-analyze') !== null, install: 'apt-get install systemd' },
  pgbouncer: { isHere: () => findProgram('pgbouncer') !== null, install: 'apt-get install pgbouncer' },
  spin: {
    isHere: () => findProgram('spin') !== null && findProgram('gcc') !== null,
    install: 'apt-get install spin gcc libc6-dev',
  },
  java: {
    isHere: () =>
      findProgram('javac') !== null && existsSync(process.env.BOUNCYCASTLE_JAR ?? '/usr/share/java/bcprov.jar'),
    install: 'apt-get install default-jdk-headless libbcprov-java',
  },
  'docs-site': { isHere: () => existsSync(fromRoot('docs/dist')), install: 'pnpm run docs:build' },
  git: { isHere: () => existsSync(fromRoot('.git')), install: null },
  'shared-vectors': { isHere: () => existsSync(fromRoot('../shared/vectors')), install: null },
  'sm4-of-node': { isHere: () => getCiphers().includes('sm4-ecb'), install: null },
  'sm4-gcm-of-node': { isHere: () => getCiphers().includes('sm4-gcm'), install: null },
  'shared-corpus': { isHere: () => existsSync(fromRoot('../shared/corpus')), install: null },
  'mount-rights': { isHere: mayMount, install: null },
  procfs: { isHere: () => existsSync('/proc/self/fd'), install: null },
  'thread-time': {
    isHere: () => 'threadCpuUsage' in process || existsSync('/proc/thread-self/schedstat'),
    install: null,
  },
  linux: { isHere: () => process.platform === 'linux', install: null },
  posix: { isHere: () => process.platform !== 'win32', install: null },
} as const satisfies Record<string, { isHere(): boolean; install: string | null }>;

export type Need = keyof typeof needs;

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-mount-'));
  try {
    const isMounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0;
    if (isMounted) spawnSync('umount', [folder]);
    return isMounted;
  } finally {
    rmdirSync(folder);
  }
}

function outputOf(program: string, ...args: readonly string[]): string {
  return spawnSync(program, args, { encoding: 'utf8' }).stdout ?? '';
}

declare module 'vitest' {
  interface ProvidedContext {
    missing: readonly Need[];
  }
}

/** For the setup of a run: what this machine lacks. */
export function findMissing(): readonly Need[] {
  return (Object.keys(needs) as Need[]).filter((need) => !needs[need].isHere());
}

/** A line that names what is missing and how to install it, or null. */
export function describeMissing(missing: readonly Need[]): string | null {
  if (missing.length === 0) return null;
  const names = missing.map((need) => (needs[need].install === null ? need : `${need} (${needs[need].install})`));
  return `Tests that need one of these are SKIPPED, because this machine lacks it: ${names.join(', ')}`;
}

/**
 * Whether the machine lacks one of these, for `describe.skipIf(lacks('redis'))`: the only way to skip a test. In CI,
 * what can be installed must be there. Requirement TST-2.
 *
 * @throws {Error} with `CI=true`, if one is missing that can be installed
 */
export function lacks(...wanted: readonly (Need | null)[]): boolean {
  const missing = inject('missing').filter((need) => wanted.includes(need));
  const installable = missing.filter((need) => needs[need].install !== null);
  if (process.env.CI === 'true' && installable.length > 0) throw new Error(`CI=true: ${describeMissing(installable)}`);
  return missing.length > 0;
}
