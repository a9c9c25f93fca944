import { hexToBytes } from '@noble/hashes/utils.js';
import type { ProvenKernel } from '../kernel/proven-kernel.js';
import type { ActiveBackend } from '../server/choose-suite.js';
import type { EnvelopeBootstrap } from '../server/envelope-crypto.js';
import { type ClientSuite, portableClientSuite } from '../suites/sm2-sm4-gcm-v1.js';
import { whenIdle } from './when-idle.js';

/** Makes the kernel. A client gets it from outside, so that who doesn't want it doesn't load it. */
export type KernelSource = () => ProvenKernel;

/** The cryptography of a client. */
export interface ClientBackend {
  current(): { readonly active: ActiveBackend; readonly suite: ClientSuite };
  /** Builds the tables of the service's key when the page is idle, so that no request has to wait for them. */
  prepareFor(bootstrap: EnvelopeBootstrap): void;
}

/** Chooses at the first use, or when the page is idle before that, and builds the tables of the curve then. */
export function createClientBackend(kernel: KernelSource | null): ClientBackend {
  let chosen: ReturnType<ClientBackend['current']> | null = null;

  function current() {
    chosen ??= choose(kernel);
    return chosen;
  }

  whenIdle(() => current().suite.prepareWrapping?.());
  return {
    current,
    prepareFor({ mode, publicKey }) {
      if (mode === 'OFF' || publicKey === undefined) return;
      whenIdle(() => current().suite.prepareWrapping?.(hexToBytes(publicKey)));
    },
  };
}

function choose(source: KernelSource | null): ReturnType<ClientBackend['current']> {
  if (source === null) return portable('no kernel was given');
  const kernel = source();
  if (kernel.kind === 'unavailable') return portable(`no kernel: ${kernel.reason}`);
  // Who loads the kernel later has to wait for it before making the client.
  if (kernel.kind !== 'ready') throw new TypeError('kernel must not be a promise');
  return { active: { name: 'kernel', reason: 'it gave every known answer' }, suite: kernel.suite };
}

function portable(reason: string): ReturnType<ClientBackend['current']> {
  return { active: { name: 'portable', reason }, suite: portableClientSuite };
}
