/** What a picture shows, from the entry of its captcha in the store. */
export function captchaText(entry: unknown): string {
  const { text } = JSON.parse(String(entry));
  if (typeof text !== 'string') throw new Error('this captcha has no picture');
  return text;
}
