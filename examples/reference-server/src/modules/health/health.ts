import { withinDeadline } from '@sallyport/deadline';

/** What is found of one component. */
export interface ComponentState {
  readonly status: 'UP' | 'DOWN';
  /** For holders of the permission: never a secret, an address or a name of a client. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** A part of the service that can be away by itself. */
export interface HealthComponent {
  /**
   * Without it the service can't do its work: it makes the whole DOWN, and a proxy should send requests elsewhere. What
   * only some operations need, or what gets well by being used, is not.
   */
  readonly isEssential: boolean;
  /** Rejects, or yields DOWN, when the component is away. What takes longer than the limit counts as away. */
  check(): ComponentState | Promise<ComponentState>;
}

export interface HealthFinding {
  /** DOWN when an essential component is. */
  readonly status: 'UP' | 'DOWN';
  readonly components: Readonly<Record<string, ComponentState>>;
}

export interface HealthOptions {
  /** How long a check may take, in milliseconds: whoever asks has little patience. Default 1000. */
  readonly limitMillis?: number;
  /**
   * How long a finding is good for, in milliseconds, so that asking often costs the stores nothing. Default 1000. In
   * the second half of it whoever asks starts a new look and doesn't wait for it: a busy store holds up no answer.
   */
  readonly findingMillis?: number;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
  /** Hears of each component that went down or came back. */
  readonly onChange?: (name: string, status: ComponentState['status']) => void;
}

export interface Health {
  /** Adds a component under a name of its own. */
  register(name: string, component: HealthComponent): void;
  /** How all components are, or were less than `findingMillis` ago. Never rejects. */
  read(): Promise<HealthFinding>;
}

const AWAY: ComponentState = { status: 'DOWN' };

/** The registry of components (OPS-1). */
export function createHealth({
  limitMillis = 1000,
  findingMillis = 1000,
  now = Date.now,
  onChange = () => {},
}: HealthOptions = {}): Health {
  const components = new Map<string, HealthComponent>();
  const underWay = new Map<string, Promise<ComponentState>>();
  const lastStatus = new Map<string, ComponentState['status']>();
  let finding: { readonly result: Promise<HealthFinding>; readonly askedAt: number } | null = null;
  let isLooking = false;

  /** One check at a time for each component: those that hang must not pile up. */
  function stateOf(name: string, component: HealthComponent): Promise<ComponentState> {
    let check = underWay.get(name);
    if (check === undefined) {
      check = Promise.resolve()
        .then(() => component.check())
        .catch(() => AWAY)
        .finally(() => underWay.delete(name));
      underWay.set(name, check);
    }
    return withinDeadline(check, limitMillis, () => new Error('no answer in time')).catch(() => AWAY);
  }

  async function find(): Promise<HealthFinding> {
    const states = await Promise.all(
      [...components].map(async ([name, component]) => [name, await stateOf(name, component)] as const),
    );
    for (const [name, { status }] of states) {
      if (status !== (lastStatus.get(name) ?? 'UP')) onChange(name, status);
      lastStatus.set(name, status);
    }
    const isDown = states.some(([name, { status }]) => status === 'DOWN' && components.get(name)?.isEssential);
    return { status: isDown ? 'DOWN' : 'UP', components: Object.fromEntries(states) };
  }

  async function look(): Promise<HealthFinding> {
    isLooking = true;
    try {
      return await find();
    } finally {
      isLooking = false;
    }
  }

  return {
    register(name, component) {
      if (components.has(name)) throw new TypeError(`the health component ${name} is there already`);
      components.set(name, component);
    },
    read() {
      const time = now();
      const age = finding === null ? Number.POSITIVE_INFINITY : time - finding.askedAt;
      // A clock that was set back must not keep a finding for ever.
      if (finding === null || age >= findingMillis || age < 0) finding = { result: look(), askedAt: time };
      else if (age >= findingMillis / 2 && !isLooking) {
        const result = look();
        void result.then(() => {
          if (finding !== null && finding.askedAt < time) finding = { result, askedAt: time };
        });
      }
      return finding.result;
    },
  };
}
