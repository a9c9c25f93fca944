/*
 * How long a used nonce is remembered, while clocks are stepped, processes are paused or restarted, answers of the
 * store are lost and a store loses its data. An attacker has one recorded envelope and sends it to any server at any
 * time. It must take effect at most once. Requirements RPL-1, RPL-2, RPL-3, REL-5, REL-13.
 *
 * By hand, from the root of the repository (spin leaves files in the current folder):
 *   spin -search -DSAFETY -DNOREDUCE -DCOLLAPSE -m100000 packages/replay-guard/model/nonce-retention.pml
 *
 * The macros and inlines bear the names of the functions that they mirror:
 *   checkFreshness, refuseStampedBefore   packages/envelope-crypto/src/server/envelope-engine.ts
 *   retentionMillis, claim                packages/replay-guard/src/replay-guard.ts
 *   claimOnce, isInTime                   packages/replay-guard/src/plugin.ts
 *   setIfAbsent, findLive                 packages/ttl-store/src/memory/memory-store.ts
 *
 * Two deployments:
 *   default     two servers on one shared store. One unit of time is 60 seconds.
 *   -DPROCESS   one server with a memory store that ends with the process. One unit of time is one second.
 *
 * Assumptions that the code can't check; each has a switch that breaks it, and with it spin finds a replay:
 *   -DSTORE_LOSES      a shared store loses no record
 *   -DCLOCKS_DRIFT     the clocks of servers and store stay within clockSkewSeconds, all steps included
 *   -DCLOCK_STEPS_BACK the clock of a server with a memory store is not stepped back before or across a restart
 *
 * Not in it: steps back while one process runs. The code refuses what they would let in, see test/clock-steps.test.ts.
 *
 * Seeded faults, one switch for each. The trace test seeds the same faults into the code.
 *   -DFAULT_TTL_ALONE        the retention ignores how long the timestamp is accepted
 *   -DFAULT_DEFAULT_SKEW     the servers differ by more than the configured skew (reference server before ae5aa0b)
 *   -DFAULT_STALE_CLAIM      the claim does not look at the clock again (this package before this model)
 *   -DFAULT_READ_THEN_WRITE  the claim is a read and a write
 *   -DFAULT_OPEN_ON_LOSS     an envelope is accepted if the store's answer is lost
 *   -DFAULT_NO_START_BOUND   a memory store, and envelopes stamped before the start are accepted
 *   -DFAULT_AHEAD            a memory store, and envelopes take effect before the time of their stamp
 */

#ifdef PROCESS
#define SERVERS 1
#define WINDOW 5        /* timestampWindowSeconds */
#define REPLAY_TTL 5    /* replayTtlSeconds */
#define SKEW 60         /* clockSkewSeconds, the smallest that the options allow */
#define MAX_WAIT 1      /* MAX_WAIT_MILLIS */
#define MAX_OFFSET 2    /* how far the clock is stepped */
#define STAMP 9
#define HORIZON 24
#else
#define SERVERS 2
#define WINDOW 5
#define REPLAY_TTL 5
#define MAX_OFFSET 2    /* how far the clocks of the servers differ at any two moments */
#ifdef FAULT_DEFAULT_SKEW
#define SKEW 1
#else
#define SKEW 4
#endif
#ifdef CLOCKS_DRIFT
#define MAX_STORE_OFFSET 3
#else
#define MAX_STORE_OFFSET 1
#endif
#define STAMP 9         /* WINDOW + MAX_OFFSET and some units for clients that are ahead */
#define HORIZON 24
#endif

#define ABSENT 0

/* The progress of the one request that a server has in hand. */
#define IDLE 0
#define OPENED 1        /* authentic; the timestamp was checked when the clock read receivedAt */
#define READ_ABSENT 2   /* FAULT_READ_THEN_WRITE: the store was asked, and nothing is written yet */
#define WAITING 3       /* claimed; takes effect when the clock should have reached the stamp */

byte now;                    /* true time */
byte offset[SERVERS];        /* the clock of a server minus true time */
byte storeOffset;
byte expiresAt = ABSENT;     /* the record of the nonce, by the clock of the store */
byte notBefore = 0;          /* PROCESS: the time before which stamps are refused */
byte phase[SERVERS];
byte receivedAt[SERVERS];
byte wakeAt[SERVERS];
byte accepted;               /* how often the envelope took effect */
bool isFirst;
byte retention;

#define clock(s) (now + offset[s])
#define checkFreshness(reading) \
    ((reading) <= STAMP + WINDOW && STAMP <= (reading) + WINDOW && STAMP >= notBefore)

#ifdef FAULT_STALE_CLAIM
#define isInTime(reading) true
#else
#define isInTime(reading) ((reading) <= STAMP + WINDOW)
#endif

#ifdef PROCESS
#define storeClock clock(0)
#ifdef FAULT_AHEAD
#define isTooFarAhead(received) false
#else
#define isTooFarAhead(received) (STAMP > (received) + MAX_WAIT)
#endif
#define busy (phase[0] != IDLE)
#else
#define storeClock (now + storeOffset)
#define isTooFarAhead(received) false
#define busy ((phase[0] != IDLE) + (phase[1] != IDLE))
#endif

#define findLive (expiresAt > storeClock)

/* An expired entry is dropped as soon as anybody looks, so a clock that is stepped back does not bring it back. */
inline dropExpired() {
    if
    :: expiresAt != ABSENT && !findLive -> expiresAt = ABSENT
    :: else
    fi
}

/* Assigns `retention`. */
inline retentionMillis(received) {
    retention = REPLAY_TTL;
#ifndef FAULT_TTL_ALONE
    if
    :: STAMP + WINDOW > received + retention -> retention = STAMP + WINDOW - received
    :: else
    fi;
#endif
    retention = retention + SKEW
}

inline setIfAbsent(ttl) {
    isFirst = !findLive;
    if
    :: isFirst -> expiresAt = storeClock + ttl
    :: else
    fi
}

/* Assigns `isFirst`. */
inline claim(server) {
    retentionMillis(receivedAt[server]);
    setIfAbsent(retention);
    retention = 0
}

inline report() {
    printf("STATE now=%d live=%d busy=%d accepted=%d\n", now, findLive, busy, accepted)
}

inline takeEffect() {
    accepted++;
    report();
    assert(accepted <= 1)
}

/* The store has answered, or (`answered` false) its answer is lost. */
inline claimOnce(server, answered) {
    if
#if defined(PROCESS) && !defined(FAULT_AHEAD)
    :: isFirst && STAMP > receivedAt[server] ->
        phase[server] = WAITING;
        wakeAt[server] = now + STAMP - receivedAt[server]
    :: isFirst && STAMP <= receivedAt[server] && isInTime(clock(server)) -> phase[server] = IDLE; takeEffect()
#else
    :: answered && isFirst && isInTime(clock(server)) -> phase[server] = IDLE; takeEffect()
#endif
#ifdef FAULT_OPEN_ON_LOSS
    :: !answered && isInTime(clock(server)) -> phase[server] = IDLE; takeEffect()
#endif
    :: else -> phase[server] = IDLE
    fi;
    receivedAt[server] = 0
}

active proctype world() {
    byte s;
    byte o;
    do
    :: now < HORIZON -> atomic {
        now++;
        printf("STEP tick\n");
        dropExpired();
        report()
    }
#ifdef PROCESS
    :: atomic {
        select(o : 0 .. MAX_OFFSET);
        if
#ifndef CLOCK_STEPS_BACK
        :: o < offset[0] -> o = offset[0]
#endif
        :: else
        fi;
        offset[0] = o;
        printf("STEP clock 0 %d\n", o);
        dropExpired();
        report()
    }
    :: now < HORIZON -> atomic {
        now++;               /* a restart takes time */
        expiresAt = ABSENT;  /* the store ends with the process */
        phase[0] = IDLE;
        receivedAt[0] = 0;
        wakeAt[0] = 0;
#ifndef FAULT_NO_START_BOUND
        notBefore = clock(0); /* refuseStampedBefore */
#endif
        printf("STEP restart\n");
        report()
    }
#else
    :: atomic {
        select(s : 0 .. SERVERS - 1);
        select(o : 0 .. MAX_OFFSET);
        offset[s] = o;
        printf("STEP clock %d %d\n", s, o);
        report();
        s = 0;
        o = 0
    }
    :: atomic {
        select(o : 0 .. MAX_STORE_OFFSET);
        storeOffset = o;
        printf("STEP store-clock %d\n", o);
        dropExpired();
        report();
        o = 0
    }
#ifdef STORE_LOSES
    :: atomic {
        expiresAt = ABSENT;
        printf("STEP lose\n");
        report()
    }
#endif
#endif
    :: atomic {
        select(s : 0 .. SERVERS - 1);
        if
        :: phase[s] == IDLE ->
            printf("STEP receive %d\n", s);
            if
            :: checkFreshness(clock(s)) && !isTooFarAhead(clock(s)) -> phase[s] = OPENED; receivedAt[s] = clock(s)
            :: else
            fi;
            report()
        :: else
        fi;
        s = 0
    }
    :: atomic {
        select(s : 0 .. SERVERS - 1);
        if
#ifdef PROCESS
        :: phase[s] == OPENED ->
            printf("STEP claim %d\n", s);
            claim(s);
            claimOnce(s, true);
            report()
        :: phase[s] == WAITING && now >= wakeAt[s] ->
            printf("STEP wake %d\n", s);
            phase[s] = IDLE;
            wakeAt[s] = 0;
            if
            :: isInTime(clock(s)) -> takeEffect()
            :: else -> report()
            fi
#else
#ifdef FAULT_READ_THEN_WRITE
        :: phase[s] == OPENED ->
            printf("STEP read %d\n", s);
            if
            :: findLive -> phase[s] = IDLE; receivedAt[s] = 0
            :: else -> phase[s] = READ_ABSENT
            fi;
            report()
        :: phase[s] == READ_ABSENT ->
            printf("STEP write %d\n", s);
            isFirst = true;
            retentionMillis(receivedAt[s]);
            expiresAt = storeClock + retention;
            retention = 0;
            claimOnce(s, true);
            report()
#else
        :: phase[s] == OPENED ->
            printf("STEP claim %d\n", s);
            claim(s);
            claimOnce(s, true);
            report()
        :: phase[s] == OPENED ->
            printf("STEP claim-unanswered %d\n", s);
            claim(s);
            claimOnce(s, false);
            report()
#endif
#endif
        :: else
        fi;
        isFirst = false;
        s = 0
    }
    od
}
