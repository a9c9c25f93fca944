import idempotency from '@sallyport/idempotency';
import { options } from '../../options.mjs';

export default idempotency;
export const autoConfig = options;
