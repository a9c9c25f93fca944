import { type OptionRule, option } from '@sallyport/plugin-kit/options';
import type { FastifyContextConfig } from 'fastify';

/** An empty path is also valid: it is the `prefix` alone. */
export function routePathRule(byDefault: string): OptionRule<string> {
  return option<string>({
    meaning: `a path that begins with a slash, such as '${byDefault}'`,
    accepts: (value) => typeof value === 'string' && /^(?:\/|$)/.test(value),
    default: byDefault,
  });
}

/** The plugins that read the members of a `config` define their meaning. */
export function routeConfigRule(byDefault: FastifyContextConfig): OptionRule<FastifyContextConfig> {
  return option<FastifyContextConfig>({
    meaning: 'the config of a route, an object',
    accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    default: byDefault,
  });
}
