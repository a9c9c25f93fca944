/*
 * What is refused after a shared store lost nonces: the marks of the store, losses, announcements, two servers and the
 * clock of the store, restarts, the witness. An attacker has one recorded envelope and sends it to any server at any
 * time. It must be accepted at most once. Requirements RPL-6, RPL-7, REL-13.
 *
 * By hand, from the root of the repository (spin leaves files in the current folder):
 *   spin -search -O2 -DSAFETY -DNOREDUCE -E -m5000 packages/replay-guard/model/nonce-loss.pml
 *
 * The macros and inlines bear the names of the functions that they mirror:
 *   holds (isHeld), replace                   packages/ttl-store/src/contract/store-marks.ts, and the stores
 *   look (with keep), lossOf, settle          packages/ttl-store/src/loss/mark-keeper.ts
 *   timeAt, latestTime, wasBack (earliestTime)   packages/ttl-store/src/loss/store-time.ts
 *   refusalsAfter, refusalsOfOther, floorOfClock, timeBefore   packages/replay-guard/src/loss/nonce-marks.ts
 *   announce                                  packages/replay-guard/src/loss/announcer.ts
 *   isAnnounced                               packages/replay-guard/src/loss/mark.ts
 *   attempt (with setIfAbsent)                packages/replay-guard/src/loss/marked-claim.ts
 *   isWitnessed                               packages/replay-guard/src/loss/witness.ts
 *   startDelay, isBeatDone                    packages/replay-guard/src/plugin.ts
 *
 * One unit of time is a second, and one beat. Of floors, refused spans and announced spans (spans.ts) only counts
 * whether they have the stamp of the recorded envelope, which is all that decides about it.
 *
 * Runs, one switch for each; spin finds no envelope that is accepted twice:
 *   (none)      a loss of any kind, or a step of the store's clock
 *   -DCLOCK     a step of the store's clock, and then a loss
 *   -DSTEPS     two steps of the store's clock
 *   -DRESTARTS  as none, and one of the servers is restarted
 *   -DSTRAYS    as none, and announcements reach the store after their server has given up on them
 *   -DWITNESS   a loss, with a witness; both servers are restarted
 *
 * Assumptions that the code can't check; each has a switch that breaks it, and with it spin finds a replay:
 *   -DEVENTS_TOGETHER  between a step of the store's clock and a loss every server has looked (with -DCLOCK)
 *   -DYOUNG_COPY       a copy that is put back while the store runs on is older than what every server saw last, and
 *                      than MAX_UNKEPT
 *   -DALL_RESTART      without a witness, servers are not all restarted about the loss
 *   -DOTHER_CLOCK      where they are, the machine that takes over has the store's clock (with -DWITNESS)
 * Without a switch: every server that the store can reach looks in each unit of time.
 *
 * Seeded faults: the switches FAULT_…, each where it is.
 * That the model is not empty: with -DREACH_NEAR and -DREACH_FAR spin shows envelopes that are accepted after a loss,
 * near to the store's clock and far ahead of it.
 *
 * Not here: the length of floors and spans (tests), several parts of a Cluster (each has a mark of its own), windows
 * that grow, marks that expire, more than two losses or steps, more than two servers.
 */

#define SERVERS 2
#define NEAR 1             /* NEAR_MILLIS */
#define TOLERANCE 1        /* TOLERANCE_MILLIS */
#define WINDOW 5           /* timestampWindowSeconds */
#define START_OFFSET 2     /* so that it can be set back */
#define SKEW 2             /* clockSkewSeconds: more than TOLERANCE */
#define MAX_UNKEPT 3       /* MAX_UNKEPT_MILLIS */
#define MAX_WRITE 1        /* MAX_WRITE_MILLIS */
#define STAMP 8            /* of the recorded envelope */
#ifndef HORIZON
#if defined(STRAYS) || defined(WITNESS)
#define HORIZON 8
#elif defined(RESTARTS)
#define HORIZON 9
#else
#define HORIZON 10
#endif
#endif
#if defined(CLOCK) || defined(STEPS)
#define MAX_EVENTS 2
#else
#define MAX_EVENTS 1       /* a loss, or a step of the clock */
#endif
#if defined(WITNESS) || defined(ALL_RESTART)
#define MAX_RESTARTS 2
#else
#define MAX_RESTARTS 1
#endif

/* RIPE_MILLIS. Two looks of each server, and a second for the write. */
#if defined(WITNESS) || defined(FAULT_NO_RIPENING)
#define RIPE 0
#else
#define RIPE 3
#endif

/* loss/mark.ts. The reason is for people, `born` is part of the floor, and the window is constant here. */
typedef Mark {
    byte id;
    byte ofRun;
    bool refused;          /* the floor, or a refused span, has the stamp */
    byte announced;        /* since when an announced span has the stamp; 0: none has */
}

/* The store. */
byte now;                  /* true time, and the monotonic clock of the servers */
byte offset;               /* the clock of the store minus true time */
byte storeRun;
bool isMarked;
Mark stored;
byte keptAt;               /* the expiry of the mark, less its lifetime, which never ends here */
byte record;               /* the expiry of the nonce's record; 0: absent */

/* A copy: a backup, a snapshot, or what a lagging replica has. */
bool isCopied;
Mark copied;
byte copiedKeptAt;

bool isWitnessed;          /* the witness has an announcement of the stamp */

/* What a server knows: KeptMark. */
bool knows[SERVERS];
Mark known[SERVERS];
byte knownKeptAt[SERVERS];
byte contact[SERVERS];     /* the offset of the store's clock when it was last told */
bool wasReached[SERVERS];  /* the store's clock was seen so late that the stamp was near */

/* A write of a mark that is on its way to the store. */
#define NOTHING 0
#define LOOK 1
#define ANNOUNCEMENT 2
#define STRAY SERVERS      /* one that its server has given up on, and that may still arrive */
#define WRITES (SERVERS + 1)
byte writing[WRITES];
bool expectsMark[WRITES];
Mark expected[WRITES];
Mark written[WRITES];
byte minKeptAt[WRITES];
byte sentAt[WRITES];       /* the store's time when it was made */
byte sentContact[WRITES];
bool isOld[WRITES];        /* there was an event since it was made */

bool looked[SERVERS];      /* in this unit of time */
bool hasSeen[SERVERS];     /* the last event */
bool isDown[SERVERS];      /* a restart takes time */
bool isDelayed[SERVERS];   /* a new process that does not serve yet */
byte events;
byte restarts;
bool hasLost;
byte accepted;

byte fresh;
bool refused;
byte loss;

#define storeTime (now + offset)
#define timeAt(s) (now + contact[s])
#define latestTime(s) (now + contact[s])
#define wasBack(s) (storeTime + TOLERANCE < timeAt(s))
#define same(a, b) (a.id == b.id && a.ofRun == b.ofRun && a.refused == b.refused && a.announced == b.announced)

#ifdef FAULT_OLDER_UNSEEN
#define isOlder(s) false
#else
#define isOlder(s) (keptAt < knownKeptAt[s])
#endif
#ifdef FAULT_RUN_UNSEEN
#define isOfRun(mark) true
#else
#define isOfRun(mark) (mark.ofRun == storeRun)
#endif

/* contract/store-marks.ts, isHeld: the terms of a server. */
#define holds(s) (isMarked && same(stored, known[s]) && isOfRun(known[s]) && !isOlder(s))

inline copyMark(to, from) {
    to.id = from.id;
    to.ofRun = from.ofRun;
    to.refused = from.refused;
    to.announced = from.announced
}

inline clearMark(mark) {
    mark.id = 0;
    mark.ofRun = 0;
    mark.refused = false;
    mark.announced = 0
}

/* drawMark: an id that nobody knows. */
#define isUsed(i) (stored.id == i || copied.id == i || known[0].id == i || known[1].id == i || \
    expected[0].id == i || expected[1].id == i || expected[STRAY].id == i || \
    written[0].id == i || written[1].id == i || written[STRAY].id == i)
inline drawId() {
    fresh = 1;
    do
    :: isUsed(fresh) -> fresh++
    :: else -> break
    od
}

/* The write is over, whatever became of it. */
inline endWrite(s) {
    writing[s] = NOTHING;
    expectsMark[s] = false;
    clearMark(expected[s]);
    clearMark(written[s]);
    minKeptAt[s] = 0;
    sentAt[s] = 0;
    sentContact[s] = 0;
    isOld[s] = false
}

/* A look that has ended. */
inline settle(s) {
    looked[s] = true;
    hasSeen[s] = true
}

#define NO_LOSS 0
#define ABSENT 1
#define ANOTHER_RUN 2
#define OLDER 3

/* Assigns `loss`. */
inline lossOf(s) {
    if
    :: !isMarked -> loss = ABSENT
    :: isMarked && !isOfRun(stored) -> loss = ANOTHER_RUN
    :: isMarked && isOfRun(stored) && !knows[s] && keptAt + MAX_UNKEPT < storeTime -> loss = OLDER
    :: isMarked && isOfRun(stored) && knows[s] && known[s].ofRun == storeRun && isOlder(s) -> loss = OLDER
    :: else -> loss = NO_LOSS
    fi
}

/* Assigns `refused`: whether stamps that may have been accepted before the loss have this one. */
inline refusalsAfter(s) {
    refused = STAMP <= storeTime + NEAR;
    if
    :: wasReached[s] -> refused = true
    :: else
    fi;
#ifdef WITNESS
    if
    :: isWitnessed -> refused = true   /* readWitness */
    :: else
    fi;
#endif
    if
    :: isMarked && stored.refused -> refused = true
    :: knows[s] && known[s].refused -> refused = true
#ifndef FAULT_ANNOUNCEMENT_LOST
    :: isMarked && stored.announced != 0 -> refused = true
    :: knows[s] && known[s].announced != 0 -> refused = true
#endif
    :: else
    fi
}

/* Assigns `refused`: what this server knows, and not the one that has drawn the mark. */
inline refusalsOfOther(s) {
    refused = stored.refused;
#ifndef FAULT_OTHERS_TRUSTED
    if
    :: knows[s] && known[s].id != stored.id &&
       (known[s].refused || known[s].announced != 0 || wasReached[s]) -> refused = true
    :: else
    fi
#else
    skip
#endif
}

/* Adds to `refused` what may have expired by a clock that was ahead. */
inline floorOfClock(s) {
#ifdef FAULT_CLOCK_BACK
    skip
#else
    if
    :: knows[s] && known[s].ofRun == storeRun && wasBack(s) && STAMP + WINDOW + SKEW <= latestTime(s) -> refused = true
    :: !knows[s] && isMarked && keptAt > storeTime + TOLERANCE && STAMP + WINDOW + SKEW <= keptAt -> refused = true
    :: else
    fi
#endif
}

/* `reached`: by the clock that was known, or by that of the process that kept the mark. */
inline timeBefore(s) {
#ifdef FAULT_CLOCK_OF_SIGHT
    skip
#else
#ifdef FAULT_REACH_FORGOTTEN
    wasReached[s] = false;
#endif
    if
    :: knows[s] && STAMP <= latestTime(s) + NEAR -> wasReached[s] = true
    :: !knows[s] && isMarked && STAMP <= keptAt + NEAR -> wasReached[s] = true
    :: else
    fi
#endif
}

/* One look: the store's answer to `keep`, and what `next` makes of it. The write is another step. */
inline look(s) {
    if
    :: knows[s] && holds(s) && keptAt < storeTime -> keptAt = storeTime
    :: else
    fi;
    timeBefore(s);
    lossOf(s);
    if
    :: loss == NO_LOSS -> refusalsOfOther(s)
    :: else -> refusalsAfter(s)
    fi;
    floorOfClock(s);
    if
    :: loss == NO_LOSS && refused == stored.refused ->
        copyMark(known[s], stored);
        if
        :: !knows[s] || known[s].ofRun != storeRun || keptAt > knownKeptAt[s] -> knownKeptAt[s] = keptAt
        :: else
        fi;
        knows[s] = true;
        contact[s] = offset;
        settle(s)
    :: else ->
        writing[s] = LOOK;
        expectsMark[s] = isMarked;
        if
        :: isMarked -> copyMark(expected[s], stored); minKeptAt[s] = keptAt
        :: else
        fi;
        if
        :: loss == NO_LOSS -> copyMark(written[s], stored)
        :: else -> drawId(); written[s].id = fresh; written[s].ofRun = storeRun; fresh = 0
        fi;
        written[s].refused = refused;
        sentAt[s] = storeTime;
        sentContact[s] = offset
    fi;
    refused = false;
    loss = NO_LOSS
}

#ifdef STRAYS
#define mayGiveUp(s) (s == 1)
#else
#define mayGiveUp(s) false
#endif

/* The server has no answer for too long. */
inline giveUp(s) {
    if
    :: writing[STRAY] == NOTHING ->
        writing[STRAY] = writing[s];
        expectsMark[STRAY] = expectsMark[s];
        copyMark(expected[STRAY], expected[s]);
        copyMark(written[STRAY], written[s]);
        minKeptAt[STRAY] = minKeptAt[s];
        sentAt[STRAY] = sentAt[s];
        isOld[STRAY] = isOld[s]
    :: else
    fi;
    endWrite(s)
}

/* The store writes a mark, or refuses it. */
#define isExpected(s) (expectsMark[s] == isMarked && (!isMarked || same(stored, expected[s])))
#ifdef FAULT_REPLACE_BY_TEXT
#define isUnchanged(s) isExpected(s)
#else
#define isUnchanged(s) (isExpected(s) && (!isMarked || keptAt >= minKeptAt[s]))
#endif
#ifdef FAULT_LATE_WRITE
#define isOnTime(s) true
#else
#define isOnTime(s) (writing[s] == LOOK || storeTime <= sentAt[s] + MAX_WRITE)
#endif
inline replace(s) {
    if
    :: isUnchanged(s) && isOnTime(s) ->
        copyMark(stored, written[s]);
        isMarked = true;
        keptAt = storeTime;
        if
        :: s != STRAY ->
            copyMark(known[s], written[s]);
            if
            :: writing[s] == LOOK ->
                if
                :: !knows[s] -> isDelayed[s] = true
                :: else
                fi;
                knows[s] = true;
                knownKeptAt[s] = sentAt[s];
                contact[s] = sentContact[s];
                if
                :: !isOld[s] -> settle(s)
                :: else
                fi
            :: else
            fi
        :: else
        fi
    :: else
    fi;
    endWrite(s)
}

/* For this envelope, or for another one with which its stamp is announced. */
inline announce(s) {
    writing[s] = ANNOUNCEMENT;
    expectsMark[s] = true;
    copyMark(expected[s], known[s]);
    copyMark(written[s], known[s]);
    minKeptAt[s] = knownKeptAt[s];
    written[s].announced = timeAt(s);
#if defined(WITNESS) && !defined(FAULT_WITNESS_UNTOLD)
    isWitnessed = true;    /* tellWitness */
#endif
    sentAt[s] = timeAt(s)
}

#define isAnnounced(s) (known[s].announced != 0 && known[s].announced + RIPE <= timeAt(s))
#define earliestStamp(s) (isAnnounced(s) -> STAMP - WINDOW : STAMP - NEAR)

/* One step in the store: it looks at the mark and at its clock, and writes the record. */
inline attempt(s) {
    if
    :: holds(s) && storeTime + TOLERANCE >= timeAt(s) ->
        if
        :: storeTime >= earliestStamp(s) && storeTime <= STAMP + WINDOW && record == 0 ->
            record = STAMP + WINDOW + SKEW;
            printf("STEP accept %d at %d\n", s, storeTime);
            accepted++;
#ifdef REACH_NEAR
            assert(!(hasLost && storeTime >= STAMP - NEAR));
#endif
#ifdef REACH_FAR
            assert(!(hasLost && storeTime < STAMP - NEAR));
#endif
            assert(accepted <= 1)
        :: else
        fi;
        if
        :: offset > contact[s] -> contact[s] = offset   /* note */
        :: else
        fi
    :: else
    fi
}

inline dropExpired() {
    if
    :: record != 0 && record <= storeTime -> record = 0
    :: else
    fi
}

inline event() {
    events++;
    hasSeen[0] = false;
    hasSeen[1] = false;
    isOld[0] = writing[0] != NOTHING;
    isOld[1] = writing[1] != NOTHING;
    isOld[STRAY] = writing[STRAY] != NOTHING
}

inline lose() {
    event();
    hasLost = true
}

/* How far the store's clock is ahead: not at all, less than it is noticed, noticeably, so that records expire. */
#define FAR_AHEAD 8
inline setClock(to) {
    if
    :: to = 0
    :: to = 1
    :: to = 2
    :: to = FAR_AHEAD
    fi
}
#if defined(WITNESS) && !defined(OTHER_CLOCK)
#define clockOfNext(to) to = offset
#else
#define clockOfNext(to) setClock(to)
#endif

inline becomeNothing() {
    isMarked = false;
    clearMark(stored);
    keptAt = 0;
    record = 0
}

inline becomeCopy() {
    isMarked = true;
    copyMark(stored, copied);
    keptAt = copiedKeptAt;
    record = 0;
    isCopied = false;
    clearMark(copied);
    copiedKeptAt = 0
}

#ifdef WITNESS
#define mayCopy true
#define mayLose true
#define maySet false
#elif defined(STEPS)
#define mayCopy false
#define mayLose false
#define maySet true
#elif defined(CLOCK)
#define mayCopy false
#define mayLose (events == 1)
#define maySet (events == 0)
#else
#define mayCopy true
#define mayLose true
#define maySet true
#endif
#ifdef EVENTS_TOGETHER
#define isEventTime (events < MAX_EVENTS)
#else
#define isEventTime (events < MAX_EVENTS && (hasSeen[0] || !knows[0]) && (hasSeen[1] || !knows[1]) && \
    !isOld[0] && !isOld[1] && !isOld[STRAY])
#endif
#ifdef YOUNG_COPY
#define isOldCopy isCopied
#else
#define isOlderThanKnown(s) (!knows[s] || copiedKeptAt < knownKeptAt[s])
#define isOldCopy (isCopied && copiedKeptAt + MAX_UNKEPT < storeTime && isOlderThanKnown(0) && isOlderThanKnown(1))
#endif
#define isBeatDone ((looked[0] || !knows[0]) && (looked[1] || !knows[1]))
#if defined(WITNESS) || defined(ALL_RESTART)
#define mayRestart(s) true
#elif defined(RESTARTS)
#define mayRestart(s) (s != 0)
#else
#define mayRestart(s) false
#endif

inline restart(s) {
    if
    :: mayGiveUp(s) && writing[s] == ANNOUNCEMENT -> giveUp(s)
    :: else -> endWrite(s)
    fi;
    knows[s] = false;
    clearMark(known[s]);
    knownKeptAt[s] = 0;
    contact[s] = 0;
    wasReached[s] = false;
    looked[s] = false;
    hasSeen[s] = false;
    isDelayed[s] = false;
    isDown[s] = true;
    restarts++
}

/* A restart takes longer than a beat, and so does the delay after it. The other server has looked meanwhile. */
#define hasLooked(s) (hasSeen[s] || !knows[s])
inline startDelay(s) {
    isDown[s] = isDown[s] && !hasLooked(1 - s);
    isDelayed[s] = isDelayed[s] && !hasLooked(1 - s)
}

/* A beat, and a claim that finds the mark changed. */
#define mayLook(s) (!isDown[s] && (!looked[s] || !hasSeen[s] || (knows[s] && !holds(s))))

proctype server(byte s) {
    do
    :: d_step { mayLook(s) && writing[s] == NOTHING -> printf("STEP look %d\n", s); look(s) }
    :: d_step { writing[s] != NOTHING -> printf("STEP replace %d\n", s); replace(s) }
    :: d_step { mayGiveUp(s) && writing[s] == ANNOUNCEMENT && writing[STRAY] == NOTHING -> printf("STEP give-up %d\n", s); giveUp(s) }
    :: d_step {
        knows[s] && writing[s] == NOTHING && !known[s].refused && known[s].announced == 0 &&
        timeAt(s) + NEAR < STAMP && timeAt(s) + WINDOW >= STAMP -> printf("STEP announce %d\n", s); announce(s)
    }
    :: d_step { knows[s] && !isDelayed[s] && !known[s].refused -> attempt(s) }
    :: d_step { restarts < MAX_RESTARTS && knows[s] && mayRestart(s) -> printf("STEP restart %d\n", s); restart(s) }
    od
}

proctype world() {
    byte o;
    do
    :: d_step { writing[STRAY] != NOTHING -> printf("STEP replace-late\n"); replace(STRAY) }
    :: d_step { writing[STRAY] != NOTHING -> endWrite(STRAY) }
    :: d_step { now < HORIZON && isBeatDone ->
        printf("STEP tick %d\n", now + 1);
        now++;
        looked[0] = false;
        looked[1] = false;
        startDelay(0);
        startDelay(1);
        dropExpired();
        if
        :: writing[STRAY] != NOTHING && !isOnTime(STRAY) -> endWrite(STRAY)
        :: else
        fi
    }
    /* A copy that has the record harms less. */
    :: d_step { mayCopy && isMarked && !isCopied && record == 0 && events < MAX_EVENTS ->
        printf("STEP copy\n");
        isCopied = true;
        copyMark(copied, stored);
        copiedKeptAt = keptAt
    }
    /* A flush. */
    :: d_step { isEventTime && mayLose -> printf("STEP flush\n"); lose(); becomeNothing() }
    /* A restart without data, with an older snapshot, with all data; a lagging replica. */
    :: atomic { isEventTime && mayLose ->
        clockOfNext(o);
        d_step { printf("STEP restart-empty clock %d\n", o); lose(); storeRun++; becomeNothing(); offset = o; o = 0 }
    }
    :: atomic { isEventTime && isCopied ->
        clockOfNext(o);
        d_step { printf("STEP restart-older clock %d\n", o); lose(); storeRun++; becomeCopy(); offset = o; dropExpired(); o = 0 }
    }
    :: atomic { isEventTime && mayLose ->
        clockOfNext(o);
        d_step { printf("STEP restart-full clock %d\n", o); lose(); storeRun++; offset = o; dropExpired(); o = 0 }
    }
    /* An older copy that is put back while the store runs. */
    :: d_step { isEventTime && mayLose && isOldCopy -> printf("STEP put-back\n"); lose(); becomeCopy(); dropExpired() }
    /* The clock of the store is set. */
    :: atomic { isEventTime && maySet ->
        setClock(o);
        d_step { printf("STEP set-clock %d\n", o); event(); offset = o; dropExpired(); o = 0 }
    }
    od
}

/* Both servers have served for a while. */
init {
    d_step {
        now = 1;
        offset = START_OFFSET;
        isMarked = true;
        stored.id = 1;
        keptAt = storeTime;
        copyMark(known[0], stored);
        copyMark(known[1], stored);
        knows[0] = true;
        knows[1] = true;
        knownKeptAt[0] = keptAt;
        knownKeptAt[1] = keptAt;
        contact[0] = offset;
        contact[1] = offset;
        hasSeen[0] = true;
        hasSeen[1] = true
    };
    atomic {
        run server(0);
        run server(1);
        run world()
    }
}
