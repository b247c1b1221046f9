import fc from 'fast-check';

/** One seed for every run of the suite, so that a green commit stays green; `FC_SEED=$RANDOM` hunts with another. */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_260_601) });
