import idempotency from '@sallyport/idempotency';
import { options } from '../../options.mjs';

export default async function writes(app) {
  await app.register(idempotency, options);
}
