import { type OptionRule, option } from '@sallyport/plugin-kit/options';
import type { FastifyContextConfig } from 'fastify';

/** Empty is a path too: that of the `prefix` alone. */
export function routePathRule(byDefault: string): OptionRule<string> {
  return option<string>({
    meaning: `a path that begins with a slash, such as '${byDefault}'`,
    accepts: (value) => typeof value === 'string' && /^(?:\/|$)/.test(value),
    default: byDefault,
  });
}

/** What the members of a `config` mean is up to the plugins that read them. */
export function routeConfigRule(byDefault: FastifyContextConfig): OptionRule<FastifyContextConfig> {
  return option<FastifyContextConfig>({
    meaning: 'the config of a route, an object',
    accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    default: byDefault,
  });
}
