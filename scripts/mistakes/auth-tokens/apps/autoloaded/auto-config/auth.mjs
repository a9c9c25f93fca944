import authTokens from '@sallyport/auth-tokens';
import { options } from '../../options.mjs';

export default authTokens;
export const autoConfig = options;
