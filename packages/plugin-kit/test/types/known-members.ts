// ADP-7: in an intersection with an inferred type, unknown members and primitive values do not compile.
import type { KnownMembers } from '@sallyport/plugin-kit/options';

interface Settings extends KnownMembers<Settings> {
  readonly required?: boolean;
  readonly mode?: 'strict' | 'lax';
}

/** As Fastify declares the `config` of a route. */
declare function route<Config>(config: { settings?: boolean | Settings } & Config): void;

route({ settings: true });
route({ settings: {} });
route({ settings: { required: true, mode: 'lax' }, owner: 'orders' });
const settings: Settings = { required: true };
route({ settings });
route({ settings: { ...settings, mode: 'strict' } });
// @ts-expect-error
route({ settings: { requird: true } });
// @ts-expect-error
route({ settings: { ...settings, mod: 'strict' } });
// @ts-expect-error
route({ settings: { mode: 'strct' } });
// @ts-expect-error
route({ settings: 'yes' });
// @ts-expect-error
route({ settings: 1 });
// @ts-expect-error
route({ settings: [] });
// @ts-expect-error
route({ settings: () => true });
