/** The base URL of a deployment. @throws TypeError with the fault, without a password */
export function readBaseUrl(text: string, allowsHttp: boolean): URL {
  if (!URL.canParse(text)) throw new TypeError('--url must be an absolute URL, such as https://service.example');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw new TypeError('--url must not hold a name or a password');
  if (url.search !== '' || url.hash !== '') throw new TypeError('--url must end with its path');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TypeError('--url must begin with https://');
  if (url.protocol === 'http:' && !isLoopback(url) && !allowsHttp) {
    throw new TypeError('--url is plain HTTP: the token would travel in the clear. --allow-http sends it all the same');
  }
  return url;
}

/** Whether the host is this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
