import { decodeBase64url } from '../wire/index.js';
import { KERNEL_MODULE } from './module.generated.js';

/** The kernel's functions. `kernel/assembly/index.ts` lists the addresses that each reads and writes. */
interface KernelFunctions {
  publicKeyOf(): Sm2Answer;
  /** {@link SCALAR_OUT_OF_RANGE}, or one bit per key, which shows whether it opens. */
  unwrap(keys: number): number;
  usePublicKey(): Sm2Answer;
  wrap(): Sm2Answer;
  extractKey(): void;
  expandKey(infoBytes: number): void;
  beginMessage(): void;
  absorbAad(bytes: number): void;
  sealPart(bytes: number): void;
  finishTag(): void;
  absorbCiphertext(bytes: number): void;
  isTag(): 0 | 1;
  openPart(bytes: number): void;
  beginDigest(): void;
  updateDigest(bytes: number): void;
  finishDigest(): void;
  wipeAll(chunkBytes: number): void;
}

/** The results of the SM2 functions. */
export const SCALAR_OUT_OF_RANGE = -1;
export const REFUSED = 0;
export const DONE = 1;
type Sm2Answer = typeof SCALAR_OUT_OF_RANGE | typeof REFUSED | typeof DONE;

const ADDRESSES = [
  'SCALAR',
  'PUBLIC_KEY',
  'WRAPPED_KEY',
  'WRAPPED_KEY_STRIDE',
  'BASE_KEY',
  'NONCE',
  'INFO',
  'DERIVED_KEY',
  'MESSAGE_KEY',
  'MAX_KEYS',
  'IV',
  'TAG',
  'DIGEST',
  'CHUNK',
  'CHUNK_BYTES',
] as const;

/** A kernel with its own memory. Calls do not overlap, and the memory is wiped after each. */
export interface Kernel {
  readonly functions: KernelFunctions;
  /** The addresses of arguments and results in {@link Kernel.memory}, and the kernel's capacities. */
  readonly at: Readonly<Record<(typeof ADDRESSES)[number], number>>;
  /** The whole memory. Its size is fixed. */
  readonly memory: Uint8Array;
}

/** The part of the WebAssembly API that is used here. Only the DOM library of TypeScript has its types. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
}

/** The module embedded in the package. */
export function embeddedKernel(): Uint8Array {
  return decodeBase64url(KERNEL_MODULE) ?? new Uint8Array();
}

/** Compiles and starts a kernel. Throws if there is no WebAssembly, or none with 128-bit vectors. */
export function loadKernel(moduleBytes: Uint8Array): Kernel {
  const { WebAssembly } = globalThis as { WebAssembly?: WebAssemblyApi };
  if (WebAssembly === undefined) throw new TypeError('there is no WebAssembly here');
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes));
  const { memory } = exports as { memory: { readonly buffer: ArrayBuffer } };
  const globals = exports as Record<string, { readonly value: number }>;
  const at = Object.fromEntries(ADDRESSES.map((name) => [name, globals[name]!.value])) as Kernel['at'];
  return { functions: exports as KernelFunctions, at, memory: new Uint8Array(memory.buffer) };
}
