/** Makes the bytes of requests to a URL that differ in their bodies alone; without a body for undefined. */
export function requestsFor({ pathname, search, host }, method, headers) {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}`;
  return (body) => {
    const rest = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
    return Buffer.from(`${head}${rest}\r\n${body ?? ''}`);
  };
}
