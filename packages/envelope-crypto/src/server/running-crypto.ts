import type { FastifyInstance } from 'fastify';
import { EnvelopeSetupError } from '../errors.js';
import type { ServerKeys } from '../keys/index.js';
import { createKeyRing, createKeyRotation, type KeyRing, type KeyRotation } from '../rotation/index.js';
import { type Backend, startBackend } from './backend.js';
import type { EnvelopeCryptoSettings } from './options.js';
import { createRefusalLog, type RefusalLog } from './refusal-log.js';

/** The backend and the keys of a service that opens envelopes. */
export interface RunningCrypto {
  readonly backend: Backend;
  readonly ring: KeyRing;
  /** Null without a key source. */
  readonly rotation: KeyRotation | null;
  readonly refusalLog: RefusalLog;
}

/** In mode OFF nothing is opened. */
export const NO_KEYS: Pick<ServerKeys, 'has' | 'unwrap'> = { has: () => false, unwrap: () => null };

/**
 * Loads the keys and chooses the backend, which does not change until the service closes. If a source yields the keys,
 * it then refreshes them. It ends with the service.
 */
export async function startCrypto(fastify: FastifyInstance, settings: EnvelopeCryptoSettings): Promise<RunningCrypto> {
  const { keySource, backend: choice, maxWaitingUnwraps, kernelThread, now } = settings;
  const { log } = fastify;
  const rotation = keySource === undefined ? null : createKeyRotation({ source: keySource, log, now });
  const keys = rotation === null ? settings.keys! : await firstKeys(rotation);
  const backend = startBackend({ choice, keyPairs: keys.keyPairs, maxWaitingUnwraps, kernelThread, log });
  const ring = await createKeyRing({ keys, startUnwraps: backend.startUnwraps, log });
  const refusalLog = createRefusalLog(log);
  fastify.addHook('onClose', async function closeEnvelopeCrypto() {
    rotation?.close();
    refusalLog.close();
    await ring.close();
  });
  rotation?.start(ring);
  return { backend, ring, rotation, refusalLog };
}

async function firstKeys(rotation: KeyRotation): Promise<ServerKeys> {
  const reading = await rotation.load();
  if (reading.kind === 'loaded') return reading.keys;
  throw new EnvelopeSetupError(
    'envelope-crypto',
    reading.faults.map((fault) => `keySource: ${fault}`),
  );
}
