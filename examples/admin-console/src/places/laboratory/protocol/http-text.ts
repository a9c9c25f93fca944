import { bodyOf, headersOf, type Sent, targetOf } from './delivery.js';

/** How much of a token is shown: enough to tell two apart. */
const SHOWN_TOKEN_CHARACTERS = 'Bearer '.length + 10;

/** A request as HTTP would write it, with the token cut off. */
export function requestText(sent: Sent): string {
  const headers = Object.entries(headersOf(sent)).map(([name, value]) =>
    name === 'Authorization' ? `${name}: ${value.slice(0, SHOWN_TOKEN_CHARACTERS)}…` : `${name}: ${value}`,
  );
  const lines = [`${sent.request.method} ${targetOf(sent)}`, ...headers];
  const body = bodyOf(sent);
  return body === null ? lines.join('\n') : [...lines, '', body].join('\n');
}

/** JSON with line breaks, and other texts as they are. */
export function prettyText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
