/** The path as it is routed: `/%61pp` is `/app`. */
export function routedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
