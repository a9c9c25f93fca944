/** Stops a handler until a test lets it go on. */
export interface Gate {
  /** Called by the handler. Resolves when the gate is open. */
  pass(): Promise<void>;
  /** Resolves when a handler has reached the gate. */
  arrival(): Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let noteArrival = () => {};
  let open = () => {};
  const arrived = new Promise<void>((resolve) => {
    noteArrival = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    pass() {
      noteArrival();
      return opened;
    },
    arrival: () => arrived,
    open: () => open(),
  };
}
