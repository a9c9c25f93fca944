import { publicKeyRoute } from '@sallyport/envelope-crypto';
import { defineModule } from '../../http/module.js';
import { encryptionOperations } from './docs.js';

export const encryption = defineModule({
  name: 'encryption',
  tags: { Encryption: 'What a client needs to know before it seals a request.' },
  operations: encryptionOperations,
  async routes(app) {
    await app.register(publicKeyRoute);
  },
});
