import { hexToBytes } from '@noble/hashes/utils.js';
import type { ProvenKernel } from '../../kernel/index.js';
import { type ActiveBackend, type ClientSuite, portableClientSuite } from '../../suites/index.js';
import type { EnvelopeBootstrap } from '../../wire/index.js';
import { EnvelopeClientSetupError } from '../errors.js';

/** Creates the kernel. The application passes it to the client, so that only applications that use it load it. */
export type KernelSource = () => ProvenKernel;

/** The cryptography of a client. */
export interface ClientBackend {
  current(): { readonly active: ActiveBackend; readonly suite: ClientSuite };
  /** Builds the tables of the service's key when the page is idle, so that no request waits for them. */
  prepareFor(bootstrap: EnvelopeBootstrap): void;
}

/** Chooses the implementation and builds the tables of the curve, when the page is idle or at the first use. */
export function createClientBackend(kernel: KernelSource | undefined, whenIdle: WhenIdle): ClientBackend {
  let chosen: ReturnType<ClientBackend['current']> | null = null;

  function current() {
    chosen ??= choose(kernel);
    return chosen;
  }

  function prepare(...publicKey: [Uint8Array?]): void {
    whenIdle(() => {
      try {
        current().suite.prepareWrapping?.(...publicKey);
      } catch {
        // The work is repeated when it is needed, and then fails for that caller. An uncaught error would end a Node.js
        // process.
      }
    });
  }

  prepare();
  return {
    current,
    prepareFor({ mode, publicKey }) {
      if (mode !== 'OFF') prepare(hexToBytes(publicKey!));
    },
  };
}

function choose(source: KernelSource | undefined): ReturnType<ClientBackend['current']> {
  if (source === undefined) return portable('no kernel was given');
  const kernel = source();
  if (kernel.kind === 'unavailable') return portable(`no kernel: ${kernel.reason}`);
  // An application that loads the kernel lazily must await it before it creates the client.
  if (kernel.kind !== 'ready') {
    throw new EnvelopeClientSetupError('createEnvelopeClient', ['kernel must not return a promise']);
  }
  return { active: { name: 'kernel', reason: 'it gave every known answer' }, suite: kernel.suite };
}

function portable(reason: string): ReturnType<ClientBackend['current']> {
  return { active: { name: 'portable', reason }, suite: portableClientSuite };
}

/** Runs optional work when nothing else waits, or never. */
export type WhenIdle = (work: () => void) => void;

/** Browsers except for Safari have the first. Node.js has only the second. Other environments may have neither. */
interface IdleHost {
  requestIdleCallback?: WhenIdle;
  setTimeout?: (work: () => void) => Partial<NodeJS.Timeout>;
}

/** Runs work when the page is idle, or after the current task if idle time is unknown. */
export const runWhenIdle: WhenIdle = (work) => {
  const host: IdleHost = globalThis as IdleHost;
  if (host.requestIdleCallback !== undefined) host.requestIdleCallback(work);
  // A timer of Node.js is an object, and must not keep the process alive. A browser's timer is a number.
  else host.setTimeout?.(work).unref?.();
};
