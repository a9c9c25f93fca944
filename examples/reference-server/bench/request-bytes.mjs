/** Returns a function that serialises requests to one URL that differ only in their bodies; undefined means no body. */
export function requestsFor({ pathname, search, host }, method, headers) {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}`;
  return (body) => {
    const rest = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
    return Buffer.from(`${head}${rest}\r\n${body ?? ''}`);
  };
}
