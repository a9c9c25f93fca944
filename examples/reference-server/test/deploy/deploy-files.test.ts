import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateCheckpointKey } from '@sallyport/audit-log/postgres';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { lacks } from '../../../../scripts/test-needs.js';
import { readConfig } from '../../src/config/config.js';
import { checkSettings } from '../../src/preflight/preflight.js';

const pathOf = (name: string) => fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url));
const read = (name: string) => readFile(pathOf(name), 'utf8');

/** An image with its full version, so that later builds use the tested one. */
const PINNED = /^[a-z]+:\d+\.\d+(?:\.\d+)?-[a-z-]+$/;

describe('the Dockerfile', async () => {
  const text = await read('Dockerfile');
  const instructions = text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  const values = (keyword: string, lines = instructions) =>
    lines.filter((line) => line.startsWith(`${keyword} `)).map((line) => line.slice(keyword.length + 1).trim());
  const runtime = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));

  it('OPS-9 passes the linter', () => {
    expect(validate(text)).toEqual([]);
  });

  it('OPS-9 pins the image, and the pnpm version of the repository', async () => {
    expect(values('ARG').map((value) => value.replace('NODE_IMAGE=', ''))).toEqual([expect.stringMatching(PINNED)]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Docker's placeholder
    expect(values('FROM')).toEqual(['${NODE_IMAGE} AS build', '${NODE_IMAGE}']);
    const { packageManager } = JSON.parse(await readFile(new URL('../../../../package.json', import.meta.url), 'utf8'));
    expect(new Set(text.match(/pnpm@\d+\.\d+\.\d+/g))).toEqual(new Set([packageManager]));
  });

  it('OPS-9 runs as an unprivileged user, on files of root, with a health check and no secret', () => {
    expect(values('USER', runtime)).toEqual(['1000:1000']);
    expect(runtime.at(-1)).toBe('CMD ["node", "dist/server.js"]');
    expect(values('COPY', runtime)).toEqual(['--from=build --chown=0:0 /app .']);
    expect(values('HEALTHCHECK', runtime)).toHaveLength(1);
    expect(values('ADD')).toEqual([]);
    expect(text).not.toMatch(/SERVICE_\w*(?:KEY|SECRET|PASSWORD|URL)\b/);
  });
});

/** A finding of dclint, whose declarations our module resolution does not find. */
interface Finding {
  readonly rule: string;
  readonly category: string;
  readonly line: number;
  readonly message: string;
}

interface ComposeService {
  readonly image: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: Readonly<Record<string, unknown>> | readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

describe('the compose file', async () => {
  const compose = parse(await read('compose.yaml'), { merge: true });
  const services: Record<string, ComposeService> = compose.services;

  it('OPS-9 fits its schema, and passes the linter except for rules of style', () => {
    const results = new DCLinter({
      rules: { 'require-quotes-in-ports': 0 },
      quiet: true,
      debug: false,
      exclude: [],
    }).lintFiles([pathOf('compose.yaml')], false);
    const findings: readonly Finding[] = results.flatMap(({ messages }: { messages: readonly Finding[] }) => messages);
    const serious = findings.filter(({ rule, category }) => category !== 'style' || rule === 'invalid-schema');
    expect(serious.map(({ rule, line, message }) => `${line} ${rule}: ${message}`)).toEqual([]);
  });

  it('OPS-9 every container has a read-only file system, drops all capabilities and uses a pinned image', () => {
    for (const [name, service] of Object.entries(services)) {
      expect({ name, ...service }).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      if (!name.startsWith('server-')) expect(service.image).toMatch(PINNED);
    }
  });

  it('OPS-9 only nginx is reachable from outside, and shares one network with the nodes, at the address that they trust', () => {
    expect(Object.keys(services).filter((name) => services[name]?.ports !== undefined)).toEqual(['nginx']);
    const networksOf = (name: string) => Object.keys(services[name]?.networks ?? {});
    for (const name of ['server-1', 'server-2']) {
      expect(networksOf(name).filter((network) => networksOf('nginx').includes(network))).toEqual(['proxied']);
      expect(services[name]?.environment?.SERVICE_TRUSTED_PROXIES).toBe(
        compose.services.nginx.networks.proxied.ipv4_address,
      );
    }
    expect(compose.networks).toMatchObject({ inside: { internal: true }, proxied: { internal: true } });
  });

  it('RPL-3 its Redis persists keys and never evicts them', async () => {
    const redis = await read('redis/redis.conf');
    expect(redis).toMatch(/^maxmemory-policy noeviction$/m);
    expect(redis).toMatch(/^appendonly yes$/m);
  });
});

/** The process facts of the unit and the image. */
const AS_STARTED = {
  nodeVersion: 'v24.21.0',
  flags: [],
  environment: { NODE_ENV: 'production' },
  isInspected: false,
  userId: 1000,
  consoleFolder: '/none',
};

describe('the environment file', async () => {
  const template = await read('sallyport.env.example');
  const lines = template.split('\n').filter((line) => /^[A-Z]/.test(line));

  /** Filled in as an operator would. */
  function filledIn(): Record<string, string> {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    const fill = (value: string) =>
      value
        .replace(/<private key in PEM.*>/, String(pem).replaceAll('\n', '\\n'))
        .replace('<private key of the checkpoints>', generateCheckpointKey('api.example.com/audit').privateKey)
        .replace('<64 hex characters>', randomBytes(32).toString('hex'))
        .replace('<32 bytes in base64>', randomBytes(32).toString('base64'))
        .replace('<https address of the gateway>', 'https://gateway.sallyport.cn/messages')
        .replace(/<password of [A-Za-z ]+>/, randomBytes(24).toString('hex'));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), fill(line.slice(line.indexOf('=') + 1))]),
    );
  }

  it('OPS-10 filled in, it is a valid production configuration', () => {
    const environment = filledIn();
    expect(JSON.stringify(environment)).not.toContain('<');
    expect(readConfig(environment)).toMatchObject({
      profile: 'production',
      nodes: 2,
      'trusted-proxies': ['127.0.0.1'],
    });
  });

  it('OPS-3 filled in, it passes preflight with only the warning that the README names, for the unit and for the image', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-settings-'));
    try {
      const own = {
        SERVICE_DATA_DIR: join(folder, 'data'),
        SERVICE_STORAGE_DIR: join(folder, 'files'),
        SERVICE_AUDIT_CHECKPOINT_FILE: join(folder, 'checkpoints'),
      };
      const inContainer = { SERVICE_HOST: '0.0.0.0', SERVICE_TRUSTED_PROXIES: '172.30.250.2' };
      // The known warning of the README: a container listens on all of its networks.
      const places = [
        { place: {}, expected: [] },
        { place: inContainer, expected: ['listening.everywhere'] },
      ];
      for (const { place, expected } of places) {
        const config = readConfig({ ...filledIn(), ...own, ...place });
        const items = await checkSettings({ config, process: AS_STARTED, now: Date.now });
        expect(items.filter(({ severity }) => severity === 'error')).toEqual([]);
        expect(items.filter(({ severity }) => severity === 'warning').map(({ id }) => id)).toEqual(expected);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('OPS-10 unless filled in it is refused, with the variables at fault', () => {
    const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
    expect(() => readConfig(environment)).toThrow(
      /SERVICE_AUDIT_CHAIN_KEY[\s\S]*SERVICE_API_ENCRYPTION_PRIVATE_KEY|SERVICE_API_ENCRYPTION_PRIVATE_KEY[\s\S]*SERVICE_AUDIT_CHAIN_KEY/,
    );
  });

  it('SYS-6 it holds no secret', () => {
    for (const line of lines.filter((one) => /KEY=|URL=\w+:\/\/\w+:/.test(one))) expect(line).toMatch(/<.+>/);
  });
});

describe.skipIf(lacks('systemd-analyze'))('the systemd unit', () => {
  it('OPS-9 is valid for systemd, with an exposure level below 1.5 of 10', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-unit-'));
    const unit = join(folder, 'sallyport@3001.service');
    try {
      await copyFile(pathOf('systemd/sallyport@.service'), unit);
      const analyze = (...words: string[]) => promisify(execFile)('systemd-analyze', words);
      const { stderr } = await analyze('verify', '--man=no', unit).catch((error: { stderr: string }) => error);
      // The program is elsewhere on this machine, and the folder does not exist.
      const complaints = stderr
        .split('\n')
        .filter((line) => line.includes('sallyport@') && !line.includes('not executable'));
      expect(complaints).toEqual([]);
      // Fails above the threshold, which is in tenths.
      const { stdout } = await analyze('security', '--offline=yes', '--threshold=15', unit);
      expect(stdout).toContain('Overall exposure level');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
