import { createKernelSuite } from '../../src/kernel/kernel-suite.js';
import type { EnvelopeSuite } from '../../src/suites/index.js';

/** The kernel. Its tests fail where it is unavailable: every supported version of Node.js has it. */
export const kernelSuite: EnvelopeSuite = requireKernel();

function requireKernel(): EnvelopeSuite {
  const kernel = createKernelSuite();
  if (kernel.kind === 'unavailable') throw new Error(`no kernel: ${kernel.reason}`, { cause: kernel.cause });
  return kernel.suite;
}
