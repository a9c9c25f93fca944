import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMerkleTree, hashLeaf, signCheckpoint } from '../../src/notes/index.js';
import { type Checkpoint, createHttpCheckpoint, createS3Checkpoint } from '../../src/postgres.js';
import { makeCheckpointKey } from '../records.js';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('places of checkpoints', () => {
  let server: Server;
  let url: string;
  let received: Received[];
  /** The status of each answer, in order; then 200. */
  let statuses: number[];
  let checkpoint: Checkpoint;

  beforeEach(async () => {
    [received, statuses] = [[], []];
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method, url, headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(statuses.shift() ?? 200, { location: '/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const tree = createMerkleTree();
    tree.append(hashLeaf('row'));
    const content = { kind: 'progress', sequence: 1, root: tree.root(), frontier: tree.state().frontier } as const;
    checkpoint = await signCheckpoint(
      { ...content, mac: null, at: '2026-11-21T16:15:09.123Z', before: null, since: null, gaps: [] },
      makeCheckpointKey(),
    );
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  describe('a witness', () => {
    it('AUD-12 receives the signed note, again until it says that it stored it', async () => {
      statuses = [503, 302];
      const write = createHttpCheckpoint({ url: `${url}/audit?token=1`, headers: { authorization: 'Bearer t' } });
      await write(checkpoint);
      expect(received).toHaveLength(3);
      for (const { method, url, headers, body } of received) {
        expect([method, url, body]).toEqual(['POST', '/audit?token=1', checkpoint.note]);
        expect(headers).toMatchObject({ authorization: 'Bearer t', 'content-type': 'text/plain; charset=utf-8' });
      }
      expect(write.destination).toBe(`witness ${new URL(url).host}`);
    });

    it('AUD-12 receives a token without the line end of the file that it was read from', async () => {
      await createHttpCheckpoint({ url, headers: { authorization: 'Bearer t\n' } })(checkpoint);
      expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer t']);
    });

    it('AUD-12 a URL with a user or a password is refused: fetch would refuse each request, and quote it', () => {
      for (const withUser of ['http://user:pw@a.example/', 'http://user@a.example/', 'ftp://a.example/']) {
        expect(() => createHttpCheckpoint({ url: withUser })).toThrow(/^(?!.*pw@).*createHttpCheckpoint.*url/s);
      }
      for (const headers of [['authorization: x'], { 'a b': 'x' }, 'x'] as never[]) {
        expect(() => createHttpCheckpoint({ url, headers })).toThrow(/headers/);
      }
    });

    it('AUD-12 one that does not store it is a failure that names the status', async () => {
      statuses = [500];
      await expect(createHttpCheckpoint({ url, attempts: 1 })(checkpoint)).rejects.toThrow('answered 500');
    });

    it('AUD-12 one that is away or does not answer is a failure', async () => {
      server.removeAllListeners('request');
      await expect(createHttpCheckpoint({ url, attempts: 1, timeoutMillis: 100 })(checkpoint)).rejects.toThrow();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await expect(createHttpCheckpoint({ url, attempts: 1 })(checkpoint)).rejects.toThrow();
    });
  });

  describe('a bucket', () => {
    const place = (options: object = {}) => {
      const client = new S3Client({
        endpoint: url,
        region: 'us-east-1',
        forcePathStyle: true,
        credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
        requestChecksumCalculation: 'WHEN_REQUIRED',
        maxAttempts: 1,
      });
      return createS3Checkpoint({ client, PutObjectCommand, bucket: 'notes', now: () => 0, ...options });
    };

    it('AUD-12 gets an object that nobody can delete or replace until its time is over', async () => {
      const write = place({ retainDays: 2 });
      await write(checkpoint);
      const digest = createHash('sha256').update(checkpoint.note).digest();
      expect(received).toMatchObject([
        {
          method: 'PUT',
          url: `/notes/audit-checkpoints/0000000000000001-${digest.toString('hex').slice(0, 16)}?x-id=PutObject`,
          headers: {
            'x-amz-object-lock-mode': 'COMPLIANCE',
            'x-amz-object-lock-retain-until-date': '1970-01-03T00:00:00Z',
            'x-amz-checksum-sha256': digest.toString('base64'),
            'content-type': 'text/plain; charset=utf-8',
          },
          body: checkpoint.note,
        },
      ]);
      expect(write.destination).toBe('S3 bucket notes');
    });

    it('AUD-12 one that refuses the object is a failure', async () => {
      statuses = [403];
      await expect(place({ mode: 'GOVERNANCE', prefix: 'a/' })(checkpoint)).rejects.toThrow();
      expect(received).toMatchObject([
        { url: expect.stringMatching(/^\/notes\/a\/0/), headers: { 'x-amz-object-lock-mode': 'GOVERNANCE' } },
      ]);
    });
  });
});
