/**
 * The kind of answer that a captcha requires. `image`: the text of a picture. `proof-of-work`: a proof that memory and
 * time were spent. `both`: both of them, under one key. `external`: the token of a provider.
 */
export type CaptchaKind = (typeof CAPTCHA_KINDS)[number];

/** All kinds. */
export const CAPTCHA_KINDS = ['image', 'proof-of-work', 'both', 'external'] as const;

export const asksForText = (kind: CaptchaKind): boolean => kind === 'image' || kind === 'both';

export const asksForProof = (kind: CaptchaKind): boolean => kind === 'proof-of-work' || kind === 'both';
