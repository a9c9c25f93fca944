import type { FastifyInstance } from 'fastify';

/** A route of the router. */
export interface ListedRoute {
  readonly method: string;
  readonly url: string;
  /** The names of its hooks by stage, such as `onRequest`. Empty until the application is ready. */
  readonly hooks: Readonly<Record<string, readonly string[]>>;
  /** Distinguishes the route from others with the same method and URL but different constraints. */
  readonly key: string;
}

// A URL that contains the characters of a branch would be misread. Such a route may be missed at the start. It is then
// refused at its first request.
const LEVEL = '(?:│ {3}| {4})';
const NODE = new RegExp(`^(${LEVEL}*)(?:├── |└── )(.*)$`);
const MORE = new RegExp(`^${LEVEL}*(.*)$`);
const ROUTE = /^(.*) \(([A-Z][A-Z-]*(?:, [A-Z][A-Z-]*)*)\)(?: (\{.*\}))?$/;
const HOOKS = /^• \((\w+)\) (.*)$/;
const CHARACTERS_PER_LEVEL = 4;

/**
 * The routes of the whole application. Fastify has no list of them, but prints them as a tree, which this function
 * parses. A node's URL is the text of its ancestors followed by its own.
 */
export function listRoutes(fastify: FastifyInstance): ListedRoute[] {
  const routes: ListedRoute[] = [];
  const path: string[] = [];
  let hooks: Record<string, readonly string[]> = {};
  for (const line of fastify.printRoutes({ commonPrefix: true, includeHooks: true }).split('\n')) {
    const [, indent = '', node] = NODE.exec(line) ?? [];
    const text = node ?? MORE.exec(line)?.[1] ?? '';
    const [, label = text, methods, constraints = ''] = ROUTE.exec(text) ?? [];
    const [, stage, names = '[]'] = (methods === undefined && node === undefined && HOOKS.exec(text)) || [];
    if (stage !== undefined) hooks[stage] = namesOf(names);
    if (node !== undefined) path.splice(indent.length / CHARACTERS_PER_LEVEL, path.length, label);
    if (methods === undefined) continue;
    hooks = {};
    const url = path.join('').replace('(empty root node)', '');
    for (const method of methods.split(', ')) {
      routes.push({ method, url, hooks, key: `${method} ${withoutNames(url)} ${constraints}` });
    }
  }
  return routes;
}

/** Routes with different names for a parameter share a node, which is printed as `:id|:name`. */
function withoutNames(url: string): string {
  return url.replace(/:\w+(?:\|:\w+)*/g, ':');
}

/** Fastify prints `["authenticate()","authorize()"]`. */
function namesOf(printed: string): string[] {
  return (JSON.parse(printed) as string[]).map((name) => name.replace(/\(\)$/, ''));
}
