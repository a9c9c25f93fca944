import { createKernelSuite } from '../../dist/kernel/kernel-suite.js';
import { sm2Sm4GcmV1 } from '../../dist/suites/index.js';

/** This package's two implementations, through the interface that the service uses. */
export function loadEnvelopeSuites() {
  const kernel = createKernelSuite();
  return [
    kernel.kind === 'ready' ? contender('kernel', kernel.suite) : { name: 'kernel', missing: kernel.reason },
    contender('portable', sm2Sm4GcmV1),
  ];
}

function contender(name, suite) {
  return {
    name,
    version: 'this package',
    wrap: (publicKey, baseKey) => suite.wrapBaseKey(publicKey, baseKey),
    unwrap: (privateKey, ek) => suite.unwrapBaseKey(privateKey, ek),
    seal: suite.sealMessage,
    open: suite.openMessage,
    serverSide(privateKey, { ek, nonce, keyId, iv, aad, ct }) {
      const { requestKey, responseKey } = suite.deriveKeys(suite.unwrapBaseKey(privateKey, ek), nonce, keyId);
      return suite.sealMessage(responseKey, iv, aad, suite.openMessage(requestKey, iv, aad, ct));
    },
  };
}
