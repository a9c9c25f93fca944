/** The nonce of this answer: the policy of the page allows style elements that carry it, and no others. */
export const pageNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
