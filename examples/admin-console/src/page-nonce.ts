import { setNonce } from 'get-nonce';

/** The nonce of this answer: the policy of the page allows style elements that carry it, and no others. */
export const pageNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// Mantine's dialogs hold the page with a style element of another library, which asks here.
setNonce(pageNonce);
