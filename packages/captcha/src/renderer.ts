/**
 * Draws a text for people to read: `image` is a data URI of a PNG or WebP. The engine chooses the text, because a
 * renderer might choose a guessable one.
 */
export type CaptchaRenderer = (text: string) => Promise<{ readonly image: string }>;
