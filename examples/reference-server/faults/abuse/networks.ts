/** Returns the client address of a request, by its index. */
export type Network = (index: number) => string;

const hex = (value: number) => value.toString(16);

/** IPv4 addresses of 198.18.0.0/15 (RFC 2544), which the internet does not route. A block has 256 of them. */
export function ipv4Network(block: number, size = 256): Network {
  const at = (index: number) => block * 256 + (index % size);
  return (index) => `198.${18 + (at(index) >> 16)}.${(at(index) >> 8) & 255}.${at(index) & 255}`;
}

/** Addresses of different /64s of one /48 of 2001:db8::/32 (RFC 3849). */
export function networksOf64(site: number, size: number): Network {
  return (index) => `2001:db8:${hex(site)}:${hex(index % size)}::${hex((index % 65_000) + 1)}`;
}

/** Addresses of different /48s of 2001:db8::/32, from the given one on. */
export function networksOf48(first: number, size: number): Network {
  return (index) => `2001:db8:${hex(first + (index % size))}::1`;
}

/** One address for every request. */
export const oneAddress =
  (address: string): Network =>
  () =>
    address;
