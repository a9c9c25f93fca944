declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the route needs a proof that is younger than some minutes: a factor or, without one, the password
     * (MFA-3). Sessions with a purpose, which a route has to list, have given theirs just now.
     */
    stepUp?: true;
  }
}

export {};
